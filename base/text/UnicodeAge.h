// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The age of characters, as far as it matters to tokenizers with older tables.

#pragma once

namespace transfold {

/// Whether an accent (Mn), a punctuation or a format character (P*, Cf) was
/// assigned after Unicode 8. The tables of Hugging Face's BERT tokenizer end
/// there: it treats later ones as ordinary characters, and the same is done
/// here, or the same text would get different ids.
bool isAfterUnicode8(char32_t code);

/// Whether a mark (M*), or a character with other normal forms than itself, was
/// assigned after Unicode 9, where the tables of Hugging Face's normal forms
/// end.
bool isAfterUnicode9(char32_t code);

} // namespace transfold
