-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
--
-- Starts transfold-lsp for specs in Neovim 0.8 or later:
--
--   dofile('/path/to/transfold/editors/nvim/transfold.lua')
--
-- The server is `transfold-lsp` on the PATH, or vim.g.transfold_lsp.

vim.filetype.add({ extension = { xf = 'xf' } })

-- Diagnostics have their notes as related information, which Neovim does not show by itself.
local function with_notes(diagnostic)
  local lines = { diagnostic.message }
  local lsp = diagnostic.user_data and diagnostic.user_data.lsp or {}
  for _, note in ipairs(lsp.relatedInformation or {}) do
    table.insert(lines, '  ' .. note.message)
  end
  return table.concat(lines, '\n')
end

vim.api.nvim_create_autocmd('FileType', {
  pattern = 'xf',
  callback = function(event)
    vim.bo[event.buf].commentstring = '// %s'
    local id = vim.lsp.start({
      name = 'transfold',
      cmd = { vim.g.transfold_lsp or 'transfold-lsp' },
      root_dir = vim.fs.dirname(vim.api.nvim_buf_get_name(event.buf)),
      -- One server for all specs, so that references are found in all open ones.
      reuse_client = function(client) return client.name == 'transfold' end,
    })
    if id then
      vim.diagnostic.config({ float = { format = with_notes } }, vim.lsp.diagnostic.get_namespace(id))
    end
    local function map(key, action)
      vim.keymap.set('n', key, action, { buffer = event.buf })
    end
    map('K', vim.lsp.buf.hover)
    map('gd', vim.lsp.buf.definition)
    map('gr', vim.lsp.buf.references)
    map('<leader>a', vim.lsp.buf.code_action)
    map('<leader>e', vim.diagnostic.open_float)
    vim.bo[event.buf].omnifunc = 'v:lua.vim.lsp.omnifunc'
  end,
})
