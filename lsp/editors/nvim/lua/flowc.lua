-- The language server in Neovim 0.7 and later.
--
--   require('flowc').setup()
--   require('flowc').setup({ cmd = { '/opt/flowc', 'lsp' }, on_attach = function(client, bufnr) … end })
--
-- From 0.11 on `vim.lsp.enable('flowc')` does the same with lsp/flowc.lua.
local M = {}

-- Clients by their root, for versions without vim.lsp.start.
local clients = {}

--- The folder that a file belongs to: that of the repository, else its own.
function M.root(file)
  local folder = vim.fn.fnamemodify(file, ':p:h')
  local git = vim.fn.finddir('.git', vim.fn.escape(folder, ' ;,') .. ';')
  if git == '' then
    git = vim.fn.findfile('.git', vim.fn.escape(folder, ' ;,') .. ';')
  end
  return git == '' and folder or vim.fn.fnamemodify(git, ':p:s?/$??:h')
end

--- Starts the server for a buffer, or attaches the buffer to the server of its root.
function M.start(bufnr, options)
  options = options or {}
  local config = vim.tbl_extend('force', {
    name = 'flowc',
    cmd = { 'flowc', 'lsp' },
    root_dir = M.root(vim.api.nvim_buf_get_name(bufnr)),
    capabilities = vim.lsp.protocol.make_client_capabilities(),
  }, options)
  if vim.fn.executable(config.cmd[1]) == 0 then
    vim.notify_once(config.cmd[1] .. ' is not to be found; set cmd in require("flowc").setup', vim.log.levels.WARN)
    return nil
  end
  if vim.lsp.start then
    return vim.lsp.start(config, { bufnr = bufnr })
  end
  local key = table.concat(config.cmd, '\0') .. '\0' .. config.root_dir
  if not clients[key] or vim.lsp.client_is_stopped(clients[key]) then
    clients[key] = vim.lsp.start_client(config)
  end
  if clients[key] then
    vim.lsp.buf_attach_client(bufnr, clients[key])
  end
  return clients[key]
end

--- Starts the server for every flow buffer, also for those that are open.
function M.setup(options)
  local group = vim.api.nvim_create_augroup('flowc', { clear = true })
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = 'flow',
    callback = function(event)
      M.start(event.buf, options)
    end,
  })
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].filetype == 'flow' then
      M.start(bufnr, options)
    end
  end
end

return M
