-- For vim.lsp.enable('flowc'), from Neovim 0.11 on.
return {
  cmd = { 'flowc', 'lsp' },
  filetypes = { 'flow' },
  root_markers = { '.git' },
}
