" How a .flow file is edited.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal expandtab shiftwidth=2 softtabstop=2
setlocal commentstring=//\ %s
setlocal comments=s1:/*,mb:*,ex:*/,://
setlocal formatoptions-=t formatoptions+=croql
setlocal suffixesadd=.flow
setlocal include=^\\s*import\\s*
setlocal define=^\\s*\\(const\\\|enum\\\|type\\\|event\\\|task\\\|fn\\\|fragment\\\|flow\\\|state\\\|region\\\|parallel\\\|final\\)
setlocal foldmethod=indent foldlevel=99

" The findings of the command, for :make and the quickfix list.
setlocal makeprg=flowc\ validate\ %:S
setlocal errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%f:%l:%c:\ h%tnt:\ %m,%-G%.%#

let b:undo_ftplugin = 'setlocal expandtab< shiftwidth< softtabstop< commentstring< comments< formatoptions<'
      \ . ' suffixesadd< include< define< foldmethod< foldlevel< makeprg< errorformat<'
