-- Holds groups of the syntax to what they are for; run by the Go test with a
-- copy of test/grammar/language.flow of the VS Code extension open.
local failed = {}

local function group(line, word, nth)
  local text = vim.fn.getline(line)
  local at = 0
  for _ = 1, nth or 1 do
    at = text:find(word, at + 1, true) or error(word .. ' is not in line ' .. line .. ': ' .. text)
  end
  return vim.fn.synIDattr(vim.fn.synID(line, at, 1), 'name')
end

local function want(pattern, word, name, nth)
  local line = vim.fn.search('\\V' .. pattern, 'nw')
  local got = line > 0 and group(line, word, nth) or 'no such line'
  if got ~= name then
    table.insert(failed, pattern .. ': ' .. word .. ' is ' .. got .. ', not ' .. name)
  end
end

want('// Every construct', 'Every', 'flowComment')
want('two lines. */', 'two', 'flowComment')
want('const sla = 4h', 'const', 'flowDeclaration')
want('const sla = 4h', '4h', 'flowDuration')
want('backoff 2s..1m', '1m', 'flowDuration')
want('event order(at: time, retry: int)', 'at', 'flowArgument')
want('event order(at: time, retry: int)', 'order', 'flowEventName')
want('retry: int = 0', 'retry', 'flowArgument')
want('on timeout, expired', 'expired', 'flowReserved')
want('on order when', 'order', 'flowEventName')
want('-> working.packing', 'working', 'flowTarget')
want('after sla -> self', 'self', 'flowSelf')
want('retry = event.retry', 'retry', '')
want('retry = event.retry', 'event', 'flowVariable')
want('note "stopped: {', 'note', 'flowStatement')
want('said \\\\"so', '\\"', 'flowEscape')
want('"heavy: {i.sku}"', '.sku', 'flowInterpolation')
want('every mon..fri, sun', 'fri', 'flowWeekday')
want('region one', 'one', 'flowStateName')
want('let e = wait answer', 'answer', 'flowEventName')
want('catch "attempt_timeout"', 'catch', 'flowControl')
want('one: expect status', 'one', 'flowLabel')
want('one: expect retry ==', 'retry', '')

-- What the compiler takes has no mistakes.
for line = 1, vim.fn.line('$') do
  for column = 1, #vim.fn.getline(line) do
    local name = vim.fn.synIDattr(vim.fn.synID(line, column, 1), 'name')
    if name:match('Bad') then
      table.insert(failed, line .. ':' .. column .. ' is ' .. name)
      break
    end
  end
end

-- Indentation gives the file as the formatter does.
local before = vim.api.nvim_buf_get_lines(0, 0, -1, false)
vim.cmd('silent normal! gg=G')
for i, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
  -- A header's second line and the inside of a comment are the author's.
  if line ~= before[i] and not before[i]:match('^  [fw]') and not before[i]:match('%*/$') then
    table.insert(failed, 'indented ' .. i .. ': ' .. line)
  end
end

io.stderr:write(table.concat(failed, '\n') .. '\n')
vim.cmd(#failed > 0 and 'cquit' or 'qall!')
