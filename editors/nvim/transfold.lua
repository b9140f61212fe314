-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
--
-- Starts transfold-lsp for specs in Neovim 0.7 or later:
--
--   dofile('/path/to/transfold/editors/nvim/transfold.lua')
--
-- The server is `transfold-lsp` on the PATH, or vim.g.transfold_lsp.

-- One server answers for all specs, so that references are found in all open ones.
local client

local function start(buffer)
  if not (client and vim.lsp.get_client_by_id(client)) then
    client = vim.lsp.start_client({
      name = 'transfold',
      cmd = { vim.g.transfold_lsp or 'transfold-lsp' },
      root_dir = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':p:h'),
    })
  end
  if client then
    vim.lsp.buf_attach_client(buffer, client)
  end
end

-- Diagnostics have their notes as related information, which Neovim does not show by itself.
local function with_notes(diagnostic)
  local lines = { diagnostic.message }
  local lsp = diagnostic.user_data and diagnostic.user_data.lsp or {}
  for _, note in ipairs(lsp.relatedInformation or {}) do
    table.insert(lines, '  ' .. note.message)
  end
  return table.concat(lines, '\n')
end

local function map(buffer, key, action)
  vim.keymap.set('n', key, action, { buffer = buffer })
end

vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
  pattern = '*.xf',
  callback = function(event)
    local buffer = event.buf
    vim.bo[buffer].filetype = 'xf'
    vim.bo[buffer].commentstring = '// %s'
    start(buffer)
    map(buffer, 'K', vim.lsp.buf.hover)
    map(buffer, 'gd', vim.lsp.buf.definition)
    map(buffer, 'gr', vim.lsp.buf.references)
    map(buffer, '<leader>r', vim.lsp.buf.rename)
    map(buffer, '<leader>a', vim.lsp.buf.code_action)
    map(buffer, '<leader>e', function() vim.diagnostic.open_float({ format = with_notes }) end)
    vim.bo[buffer].omnifunc = 'v:lua.vim.lsp.omnifunc'
  end,
})
