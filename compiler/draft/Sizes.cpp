// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of keys. Of several spellings, the first that a configuration has
// counts.

#include "compiler/draft/Sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

using namespace transfold::draft;

/// Names in the equations, and the keys of configurations for them.
static const std::map<std::string, std::vector<std::string>> &spellings() {
  static const std::map<std::string, std::vector<std::string>> table = {
      {"vocab", {"vocab_size"}},
      {"d", {"hidden_size", "n_embd", "d_model", "dim", "hidden_dim"}},
      {"d_e", {"embedding_size", "word_embed_proj_dim"}},
      {"h",
       {"num_attention_heads", "n_head", "n_heads", "num_heads",
        "encoder_attention_heads"}},
      {"h_kv", {"num_key_value_heads", "n_head_kv", "num_kv_heads"}},
      {"d_k", {"head_dim", "d_kv"}},
      {"d_ff",
       {"intermediate_size", "ffn_dim", "n_inner", "d_ff", "ffn_hidden_size",
        "encoder_ffn_dim"}},
      {"L",
       {"num_hidden_layers", "n_layer", "n_layers", "num_layers",
        "encoder_layers"}},
      {"N",
       {"encoder_layers", "encoder_num_hidden_layers", "num_encoder_layers",
        "num_layers", "num_hidden_layers"}},
      {"M",
       {"decoder_layers", "decoder_num_hidden_layers", "num_decoder_layers",
        "num_layers", "num_hidden_layers"}},
      {"h_e",
       {"encoder_attention_heads", "encoder_num_attention_heads", "num_heads",
        "num_attention_heads"}},
      {"h_d",
       {"decoder_attention_heads", "decoder_num_attention_heads", "num_heads",
        "num_attention_heads"}},
      {"f_e", {"encoder_ffn_dim", "d_ff", "intermediate_size", "ffn_dim"}},
      {"f_d", {"decoder_ffn_dim", "d_ff", "intermediate_size", "ffn_dim"}},
      {"n_max", {"max_position_embeddings", "n_positions", "n_ctx"}},
      {"types", {"type_vocab_size"}},
      {"act",
       {"hidden_act", "activation_function", "hidden_activation",
        "activation"}},
      {"window", {"sliding_window"}},
      {"part", {"partial_rotary_factor", "rotary_pct"}},
      {"rms", {"rms_norm_eps", "rms_norm_epsilon"}},
      {"ε",
       {"layer_norm_eps", "layer_norm_epsilon", "norm_epsilon", "norm_eps",
        "layernorm_epsilon"}},
      {"θ", {"rope_theta", "rotary_emb_base"}},
  };
  return table;
}

Sizes::Sizes(const nlohmann::json &config) : config(config) {}

/// Some keys may be in the record of the rotary parameters.
static constexpr const char *rotation = "rope_parameters";

std::string Sizes::key(const std::string &name) const {
  auto known = spellings().find(name);
  if (known == spellings().end())
    return "";
  auto has = [](const nlohmann::json &record, const std::string &key) {
    return record.is_object() && record.contains(key) && !record[key].is_null();
  };
  for (const std::string &spelling : known->second) {
    if (has(config, spelling))
      return "." + spelling;
    if (has(config, rotation) && has(config[rotation], spelling))
      return fmt::format(".{}.{}", rotation, spelling);
  }
  return "";
}

bool Sizes::has(const std::string &name) const { return !key(name).empty(); }

/// Numbers that cannot be sizes count as absent: they come from an untrusted
/// file.
int64_t Sizes::number(const std::string &name) const {
  std::string found = key(name);
  if (found.empty())
    return 0;
  std::replace(found.begin(), found.end(), '.', '/');
  const nlohmann::json &value = config[nlohmann::json::json_pointer(found)];
  int64_t number =
      value.is_number_integer() ? value.get<int64_t>() : int64_t{0};
  return number > 0 && number < (int64_t{1} << 40) ? number : 0;
}
