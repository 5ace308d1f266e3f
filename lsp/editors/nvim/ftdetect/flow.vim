" Files of workflows that wait.
autocmd BufRead,BufNewFile *.flow set filetype=flow
