// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The endpoints that a server can have. Only those that a part of the program
// calls are linked into it (commands/ProgramParts.h).

#pragma once

#include "runtime/serve/Endpoint.h"

#include <memory>

namespace transfold::runtime::serve {

// Each throws Error if the program does not have the task.

/// Embeddings of texts: /v1/embeddings.
std::unique_ptr<Endpoint> makeEmbeddings(const ServedProgram &served);

/// Orders documents by their relevance to a query, with a program that scores
/// pairs of texts: /v1/rerank, as Jina's, Cohere's and llama.cpp's servers have
/// it.
std::unique_ptr<Endpoint> makeReranking(const ServedProgram &served);

/// Texts of recordings: /v1/audio/transcriptions and /v1/audio/translations.
std::unique_ptr<Endpoint> makeRecordings(const ServedProgram &served);

/// Generated texts: /v1/chat/completions and /v1/completions.
std::unique_ptr<Endpoint> makeCompletions(const ServedProgram &served);

/// Tokens of texts and texts of tokens, of every program with a tokenizer:
/// /tokenize and /detokenize.
std::unique_ptr<Endpoint> makeTokenization(const ServedProgram &served);

} // namespace transfold::runtime::serve
