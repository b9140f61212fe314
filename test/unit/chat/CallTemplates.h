// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short templates that write calls in the syntaxes of public families of
// models.

#pragma once

#include "compiler/chat/CompileTemplate.h"
#include "runtime/chat/CallSyntax.h"

#include <string>
#include <string_view>

namespace transfold::test {

/// Marks around an object of JSON for each call, as Hermes and Qwen.
inline constexpr std::string_view hermesTemplate = R"(
{%- if tools %}
    {{- '<|im_start|>system\nFunctions:' }}
    {%- for tool in tools %}{{- '\n' + (tool | tojson) }}{%- endfor %}
    {{- '<|im_end|>\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'tool' %}
        {{- '<|im_start|>user\n<tool_response>\n' + message.content + '\n</tool_response><|im_end|>\n' }}
    {%- elif message.tool_calls %}
        {{- '<|im_start|>assistant' }}
        {%- if message.content %}{{- '\n' + message.content }}{%- endif %}
        {%- for call in message.tool_calls %}
            {{- '\n<tool_call>\n{"name": "' + call.function.name + '", "arguments": ' }}
            {{- call.function.arguments | tojson }}
            {{- '}\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\n' }}
    {%- else %}
        {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %})";

/// An object of JSON and nothing else, one call at a time, as Llama 3.1.
inline constexpr std::string_view llamaTemplate = R"(
{%- if tools is not none %}
    {%- for tool in tools %}{{- (tool | tojson(indent=4)) + '\n\n' }}{%- endfor %}
{%- endif %}
{%- for message in messages %}
    {%- if 'tool_calls' in message %}
        {%- if message.tool_calls | length != 1 %}
            {{- raise_exception('One call at a time.') }}
        {%- endif %}
        {%- set call = message.tool_calls[0].function %}
        {{- '<|start|>assistant<|end|>\n\n{"name": "' + call.name + '", "parameters": ' }}
        {{- call.arguments | tojson }}
        {{- '}<|eot|>' }}
    {%- else %}
        {{- '<|start|>' + message.role + '<|end|>\n\n' + message.content | trim + '<|eot|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start|>assistant<|end|>\n\n' }}{%- endif %})";

/// A mark and a list, with ids of 9 characters, as Mistral.
inline constexpr std::string_view mistralTemplate = R"(
{%- for message in messages %}
    {%- if message.role == 'user' %}
        {%- if tools and loop.last or tools and messages[loop.index0 + 1].role == 'assistant' %}
            {{- '[AVAILABLE_TOOLS] ' + (tools | tojson) + '[/AVAILABLE_TOOLS]' }}
        {%- endif %}
        {{- '[INST] ' + message.content + '[/INST]' }}
    {%- elif message.tool_calls %}
        {{- '[TOOL_CALLS] [' }}
        {%- for call in message.tool_calls %}
            {%- if call.id | length != 9 %}
                {{- raise_exception('Ids of calls have 9 characters.') }}
            {%- endif %}
            {{- (call.function | tojson)[:-1] + ', "id": "' + call.id + '"}' }}
            {{- ']</s>' if loop.last else ', ' }}
        {%- endfor %}
    {%- elif message.role == 'tool' %}
        {{- '[TOOL_RESULTS] ' + message.content + '[/TOOL_RESULTS]' }}
    {%- else %}
        {{- ' ' + message.content | trim + '</s>' }}
    {%- endif %}
{%- endfor %})";

inline runtime::chat::CallSyntax syntaxOf(std::string_view source) {
  return runtime::chat::findCallSyntax(chat::compileTemplate(source, "t.jinja"),
                                       std::tm{});
}

} // namespace transfold::test
