// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/draft/Sizes.h"

#include <map>
#include <vector>

using namespace transfold::draft;

/// Names of the equations, and what configurations call them.
static const std::map<std::string, std::vector<std::string>> &spellings() {
  static const std::map<std::string, std::vector<std::string>> table = {
      {"vocab", {"vocab_size"}},
      {"d", {"hidden_size", "n_embd", "d_model", "dim", "hidden_dim"}},
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

std::string Sizes::key(const std::string &name) const {
  auto known = spellings().find(name);
  if (known != spellings().end())
    for (const std::string &spelling : known->second)
      if (config.contains(spelling) && !config[spelling].is_null())
        return "." + spelling;
  return "";
}

bool Sizes::has(const std::string &name) const { return !key(name).empty(); }

int64_t Sizes::number(const std::string &name) const {
  std::string found = key(name);
  if (found.empty() || !config[found.substr(1)].is_number_integer())
    return 0;
  int64_t value = config[found.substr(1)].get<int64_t>();
  return value > 0 && value < (int64_t{1} << 40) ? value : 0;
}
