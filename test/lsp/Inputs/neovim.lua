-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
--
-- Writes a wrong shape into llama.xf in Neovim, and prints what the user sees. Variables of the environment: ROOT, the
-- sources; SERVER; FOLDER, with llama.xf and std/.

local server, folder, root = vim.env.SERVER, vim.env.FOLDER, vim.env.ROOT
vim.g.transfold_lsp = server
dofile(root .. '/editors/nvim/transfold.lua')

local function say(...)
  io.stdout:write(table.concat({ ... }, ' ') .. '\n')
end

local function diagnostics(count)
  local there = vim.wait(10000, function() return #vim.diagnostic.get(0) == count end, 5)
  say(#vim.diagnostic.get(0), there and 'diagnostics' or 'diagnostics, after ten seconds')
end

local function ask(method, line, word)
  local text = vim.fn.getline(line)
  vim.fn.cursor(line, string.find(text, word, 1, true))
  local answers = vim.lsp.buf_request_sync(0, method, vim.lsp.util.make_position_params(0, 'utf-16'), 10000)
  for _, answer in pairs(answers or {}) do
    return answer.result
  end
end

vim.cmd('edit ' .. folder .. '/llama.xf')
vim.wait(10000, function() return #vim.lsp.buf_get_clients(0) > 0 end, 5)
say('filetype', vim.bo.filetype)
say(ask('textDocument/hover', 23, 'softmax').contents.value)
diagnostics(0)
vim.fn.setline(20, (string.gsub(vim.fn.getline(20), 'W_Q%[i%]', "W_Q[i]'")))
diagnostics(1)
for _, each in ipairs(vim.diagnostic.get(0)) do
  say(each.lnum, each.col, each.end_col, each.code or each.user_data.lsp.code, each.message)
end
vim.fn.cursor(20, 20)
vim.cmd([[normal \e]])
for _, window in ipairs(vim.api.nvim_list_wins()) do
  if vim.api.nvim_win_get_config(window).relative ~= '' then
    for _, line in ipairs(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)) do
      say('float:', line)
    end
  end
end
vim.cmd('undo')
diagnostics(0)
-- Columns of Neovim are bytes, and those of the protocol are units of UTF-16.
say(ask('textDocument/definition', 14, 'rms_norm')[1].uri:gsub('.*/', ''), 'is where rms_norm is')
vim.fn.cursor(14, string.find(vim.fn.getline(14), 'rms_norm', 1, true))
vim.lsp.buf.definition()
vim.wait(10000, function() return vim.fn.expand('%:t') == 'norm.xf' end, 5)
say(vim.fn.expand('%:t'), vim.fn.line('.'), vim.fn.col('.'))
vim.cmd('qall!')
