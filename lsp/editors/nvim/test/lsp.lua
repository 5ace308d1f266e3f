-- Works with `flowc lsp` as an author does; run by the Go test with a flow file
-- open. FLOWC names the program.
local deadline = 30000

local function check(what, ok)
  if not ok then
    io.stderr:write(what .. '\n')
    vim.cmd('cquit')
  end
end

local function wait(what, condition)
  check('in vain waited for ' .. what, vim.wait(deadline, condition, 5))
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
end

local function find(pattern)
  local at = vim.fn.searchpos('\\V' .. pattern, 'nw')
  check(pattern .. ' is not in the text', at[1] > 0)
  return at
end

local function cursor(pattern, offset)
  local at = find(pattern)
  vim.api.nvim_win_set_cursor(0, { at[1], at[2] - 1 + (offset or 0) })
end

local function change(from, to)
  local at = find(from)
  vim.api.nvim_buf_set_text(0, at[1] - 1, at[2] - 1, at[1] - 1, at[2] - 1 + #from, { to })
end

local function ask(method, params)
  params = vim.tbl_extend('force', vim.lsp.util.make_position_params(0, 'utf-16'), params or {})
  local answers, err = vim.lsp.buf_request_sync(0, method, params, deadline)
  check(method .. ': ' .. tostring(err), answers)
  for _, answer in pairs(answers) do
    check(method .. ': ' .. vim.inspect(answer.error), not answer.error)
    return answer.result
  end
end

local function ids()
  return vim.tbl_map(function(d) return d.code end, vim.diagnostic.get(0))
end

check('the file type is ' .. vim.bo.filetype, vim.bo.filetype == 'flow')
local exit
require('flowc').setup({
  cmd = { vim.env.FLOWC, 'lsp' },
  on_exit = function(code, signal) exit = { code, signal } end,
})
local clients = vim.lsp.get_clients or vim.lsp.buf_get_clients
local function attached()
  for _, client in pairs(vim.lsp.get_clients and clients({ bufnr = 0 }) or clients(0)) do
    return client.initialized ~= false and client
  end
end
wait('the server', attached)

change('timeout 10m', 'timeout 1h30m')
wait('a finding', function() return vim.tbl_contains(ids(), 'duration-syntax') end)
change('timeout 1h30m', 'timeout 10m')
wait('no finding', function() return #ids() == 0 end)

change('on error -> manual_review', 'on error -> ')
cursor('on error -> ', 11)
vim.api.nvim_win_set_cursor(0, { vim.fn.line('.'), #'    on error -> ' })
local list = ask('textDocument/completion')
local labels = vim.tbl_map(function(i) return i.label end, list.items or list)
check('completion: ' .. vim.inspect(labels), vim.tbl_contains(labels, 'manual_review') and vim.tbl_contains(labels, 'shipped'))
vim.cmd('silent undo')

cursor('do charge(', 4)
local hover = ask('textDocument/hover')
check('hover: ' .. vim.inspect(hover), vim.inspect(hover):match('Books a payment'))

local before = text()
change('    timeout 10m', '  timeout   10m')
if vim.lsp.buf.format then
  vim.lsp.buf.format({ timeout_ms = deadline })
else
  vim.lsp.buf.formatting_sync({ tabSize = 2, insertSpaces = true }, deadline)
end
check('formatted to\n' .. text(), text() == before)

cursor('state manual_review', 7)
vim.lsp.buf.rename('by_hand')
wait('the new name', function() return not text():match('manual_review') end)
local _, places = text():gsub('by_hand', '')
local _, were = before:gsub('manual_review', '')
check('renamed ' .. places .. ' of ' .. were, places == were)

for _, client in pairs(vim.lsp.get_clients and vim.lsp.get_clients() or vim.lsp.get_active_clients()) do
  vim.lsp.stop_client(client.id)
end
wait('the end of the server', function() return exit end)
check('the server ended with ' .. vim.inspect(exit), exit[1] == 0 and exit[2] == 0)
vim.cmd('qall!')
