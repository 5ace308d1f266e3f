" Two columns for every open bracket; a header goes on one step in.
if exists('b:did_indent')
  finish
endif
let b:did_indent = 1

setlocal indentexpr=FlowIndent(v:lnum)
setlocal indentkeys=0{,0},0),0],!^F,o,O
let b:undo_indent = 'setlocal indentexpr< indentkeys<'

if exists('*FlowIndent')
  finish
endif

" Without strings and comments, whose brackets count nothing.
function! s:code(lnum) abort
  let line = substitute(getline(a:lnum), '"\%(\\.\|[^"\\]\)*"', '""', 'g')
  return substitute(line, '//.*$', '', '')
endfunction

function! FlowIndent(lnum) abort
  let above = prevnonblank(a:lnum - 1)
  if above == 0
    return 0
  endif
  let code = s:code(above)
  " Closers at the start of the line above are in its own indent already.
  let rest = substitute(code, '^\s*[])}]*', '', '')
  let depth = len(substitute(rest, '[^[({]', '', 'g')) - len(substitute(rest, '[^])}]', '', 'g'))
  let indent = indent(above) + (depth > 0 ? shiftwidth() : depth < 0 ? -shiftwidth() : 0)
  if getline(a:lnum) =~# '^\s*[])}]'
    let indent -= shiftwidth()
  endif
  return max([indent, 0])
endfunction
