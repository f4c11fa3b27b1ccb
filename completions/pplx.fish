# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_pplx_global_optspecs
    string join \n h/help V/version
end

function __fish_pplx_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_pplx_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_pplx_using_subcommand
    set -l cmd (__fish_pplx_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c pplx -n "__fish_pplx_needs_command" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_needs_command" -s V -l version -d 'Print version'
complete -c pplx -n "__fish_pplx_needs_command" -f -a "login" -d 'Log in: with the desktop app\'s session, or an e-mail address and a code'
complete -c pplx -n "__fish_pplx_needs_command" -f -a "logout" -d 'Delete what is stored: the session, and an API key with it'
complete -c pplx -n "__fish_pplx_needs_command" -f -a "status" -d 'Show who is logged in, from where and until when; exit code 4 when no search would work'
complete -c pplx -n "__fish_pplx_needs_command" -f -a "research" -d 'Fetch a run of deep research'
complete -c pplx -n "__fish_pplx_needs_command" -f -a "threads" -d 'List, show, export and delete the threads that the account has saved'
complete -c pplx -n "__fish_pplx_needs_command" -f -a "models" -d 'List the models that can be asked'
complete -c pplx -n "__fish_pplx_needs_command" -f -a "doctor" -d 'Check step by step what a search needs, and say what is missing'
complete -c pplx -n "__fish_pplx_needs_command" -f -a "mcp" -d 'Serve searches to agents over the Model Context Protocol, on standard input and output'
complete -c pplx -n "__fish_pplx_needs_command" -f -a "serve" -d 'Serve the subscription to clients of OpenAI\'s API, on this machine'
complete -c pplx -n "__fish_pplx_needs_command" -f -a "integrate" -d 'Tell a coding agent about this program: write its extension or skill'
complete -c pplx -n "__fish_pplx_needs_command" -f -a "completions" -d 'Print a completion script'
complete -c pplx -n "__fish_pplx_needs_command" -f -a "man" -d 'Print the manual page'
complete -c pplx -n "__fish_pplx_needs_command" -f -a "help" -d 'Explain a command or a topic'
complete -c pplx -n "__fish_pplx_needs_command" -f -a "search" -d 'Ask, and print the sourced answer'
complete -c pplx -n "__fish_pplx_needs_command" -f -a "chat" -d 'Talk, line by line: each question follows up on the answer before it'
complete -c pplx -n "__fish_pplx_using_subcommand login" -l email -d 'Have a code sent to this address (also: PPLX_EMAIL)' -r -f
complete -c pplx -n "__fish_pplx_using_subcommand login" -l browser -d 'Paste a session from a browser: a request copied as cURL, a Cookie header, or the session cookie\'s value'
complete -c pplx -n "__fish_pplx_using_subcommand login" -l with-token -d 'Read a token from standard input'
complete -c pplx -n "__fish_pplx_using_subcommand login" -l api-key -d 'Read a key of the official API from standard input, and store it beside the session'
complete -c pplx -n "__fish_pplx_using_subcommand login" -l from-omp -d 'Import the session of oh-my-pi (`omp token perplexity`)'
complete -c pplx -n "__fish_pplx_using_subcommand login" -l no-borrow -d 'Do not look for the desktop app\'s session'
complete -c pplx -n "__fish_pplx_using_subcommand login" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_using_subcommand logout" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_using_subcommand status" -l online -d 'Also ask the service: for the plan, and for what is left of it'
complete -c pplx -n "__fish_pplx_using_subcommand status" -l json -d 'Print a JSON object'
complete -c pplx -n "__fish_pplx_using_subcommand status" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_using_subcommand research; and not __fish_seen_subcommand_from get" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_using_subcommand research; and not __fish_seen_subcommand_from get" -f -a "get" -d 'Print a run of deep research, or wait for its end'
complete -c pplx -n "__fish_pplx_using_subcommand research; and __fish_seen_subcommand_from get" -s f -l format -d 'How to print [default: pretty on a terminal, else report]' -r -f -a "report\t'Answer, sources and meta data as text'
pretty\t'The same for people: Markdown drawn, links to follow'
answer\t'The answer\'s text alone'
json\t'One JSON object'
ndjson\t'One JSON object a line, as things happen'"
complete -c pplx -n "__fish_pplx_using_subcommand research; and __fish_seen_subcommand_from get" -s o -l output -d 'Write to this file instead of standard output' -r -F
complete -c pplx -n "__fish_pplx_using_subcommand research; and __fish_seen_subcommand_from get" -l open -d 'Open the source with this number in the browser, too' -r
complete -c pplx -n "__fish_pplx_using_subcommand research; and __fish_seen_subcommand_from get" -s n -l limit -d 'Print at most this many sources, those that the answer cites first' -r
complete -c pplx -n "__fish_pplx_using_subcommand research; and __fish_seen_subcommand_from get" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c pplx -n "__fish_pplx_using_subcommand research; and __fish_seen_subcommand_from get" -l idle-timeout -d 'End when nothing arrives for so long; 0 for never [default: 60]' -r
complete -c pplx -n "__fish_pplx_using_subcommand research; and __fish_seen_subcommand_from get" -l timeout -d 'End after so long with what has arrived; 0 for never [default: 110, on a terminal never]' -r
complete -c pplx -n "__fish_pplx_using_subcommand research; and __fish_seen_subcommand_from get" -l json -d 'The same as --format json'
complete -c pplx -n "__fish_pplx_using_subcommand research; and __fish_seen_subcommand_from get" -l copy -d 'Put the answer on the clipboard, too; over ssh, through the terminal where it takes that'
complete -c pplx -n "__fish_pplx_using_subcommand research; and __fish_seen_subcommand_from get" -l no-stream -d 'On a terminal, print the answer when it is whole instead of as it comes'
complete -c pplx -n "__fish_pplx_using_subcommand research; and __fish_seen_subcommand_from get" -l no-wrap -d 'Do not break lines longer than 700 bytes'
complete -c pplx -n "__fish_pplx_using_subcommand research; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Tell more on standard error: the steps of the search, and what was skipped in the reply'
complete -c pplx -n "__fish_pplx_using_subcommand research; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Tell nothing on standard error but errors'
complete -c pplx -n "__fish_pplx_using_subcommand research; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pplx -n "__fish_pplx_using_subcommand threads; and not __fish_seen_subcommand_from list show export delete" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_using_subcommand threads; and not __fish_seen_subcommand_from list show export delete" -f -a "list" -d 'List the threads, the newest first'
complete -c pplx -n "__fish_pplx_using_subcommand threads; and not __fish_seen_subcommand_from list show export delete" -f -a "show" -d 'Print a thread, as Markdown or JSON'
complete -c pplx -n "__fish_pplx_using_subcommand threads; and not __fish_seen_subcommand_from list show export delete" -f -a "export" -d 'Write a thread to a file'
complete -c pplx -n "__fish_pplx_using_subcommand threads; and not __fish_seen_subcommand_from list show export delete" -f -a "delete" -d 'Delete a thread'
complete -c pplx -n "__fish_pplx_using_subcommand threads; and __fish_seen_subcommand_from list" -s n -l count -d 'How many' -r
complete -c pplx -n "__fish_pplx_using_subcommand threads; and __fish_seen_subcommand_from list" -l search -d 'Only those that match' -r
complete -c pplx -n "__fish_pplx_using_subcommand threads; and __fish_seen_subcommand_from list" -l json -d 'Print a JSON object'
complete -c pplx -n "__fish_pplx_using_subcommand threads; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_using_subcommand threads; and __fish_seen_subcommand_from show" -l json -d 'Print a JSON object'
complete -c pplx -n "__fish_pplx_using_subcommand threads; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_using_subcommand threads; and __fish_seen_subcommand_from export" -l json -d 'Write a JSON object instead of Markdown'
complete -c pplx -n "__fish_pplx_using_subcommand threads; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_using_subcommand threads; and __fish_seen_subcommand_from delete" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_using_subcommand models" -l json -d 'Print a JSON object'
complete -c pplx -n "__fish_pplx_using_subcommand models" -l refresh -d 'Ask the service even if the last list is less than a day old'
complete -c pplx -n "__fish_pplx_using_subcommand models" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_using_subcommand doctor" -l json -d 'Print a JSON object'
complete -c pplx -n "__fish_pplx_using_subcommand doctor" -l no-ask -d 'Do not ask a question'
complete -c pplx -n "__fish_pplx_using_subcommand doctor" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_using_subcommand mcp" -l timeout -d 'Answer each call within so long, with what has come, and an id for the rest [default: 55, for oh-my-pi 25]' -r
complete -c pplx -n "__fish_pplx_using_subcommand mcp" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_using_subcommand serve" -l listen -d 'Address and port to listen on; port 0 picks a free one [default: 127.0.0.1:8892]' -r
complete -c pplx -n "__fish_pplx_using_subcommand serve" -l key-file -d 'Read the key that clients must send from this file' -r -F
complete -c pplx -n "__fish_pplx_using_subcommand serve" -l alias -d 'Another name for a model; repeatable' -r
complete -c pplx -n "__fish_pplx_using_subcommand serve" -l allow-origin -d 'Let web pages of this origin call the server; repeatable' -r
complete -c pplx -n "__fish_pplx_using_subcommand serve" -l allow-host -d 'A host name by which the server is called, besides localhost and addresses; repeatable' -r
complete -c pplx -n "__fish_pplx_using_subcommand serve" -l notify -d 'Where a message is posted when the session ends: a topic of ntfy, or any webhook' -r -f
complete -c pplx -n "__fish_pplx_using_subcommand serve" -l experimental-tools -d 'Let models call the client\'s functions, by a prompt: unreliable, and every deviation is an error'
complete -c pplx -n "__fish_pplx_using_subcommand serve" -l refuse-substitution -d 'Fail where another model answers than the one that was asked for'
complete -c pplx -n "__fish_pplx_using_subcommand serve" -l check -d 'Ask the running server whether all is well, and exit'
complete -c pplx -n "__fish_pplx_using_subcommand serve" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_using_subcommand integrate" -l print -d 'Show the files and where they would go; write nothing'
complete -c pplx -n "__fish_pplx_using_subcommand integrate" -l remove -d 'Delete the files'
complete -c pplx -n "__fish_pplx_using_subcommand integrate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pplx -n "__fish_pplx_using_subcommand completions" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_using_subcommand man" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_using_subcommand help" -s h -l help -d 'Print help'
complete -c pplx -n "__fish_pplx_using_subcommand search" -s r -l recency -d 'Only pages at most this old' -r -f -a "hour\t''
day\t''
week\t''
month\t''
year\t''"
complete -c pplx -n "__fish_pplx_using_subcommand search" -l system -d 'Text placed before the question, with a blank line between. The service has no place for instructions, so this is searched for, too' -r
complete -c pplx -n "__fish_pplx_using_subcommand search" -l language -d 'Language of the answer, as a tag [default: en-US]' -r
complete -c pplx -n "__fish_pplx_using_subcommand search" -l timezone -d 'Your time zone, as an IANA name [default: the machine\'s]' -r
complete -c pplx -n "__fish_pplx_using_subcommand search" -l attach -d 'A file to go along with the question: an image, PDF, text or office file of up to 50 MB; may be given several times' -r -F
complete -c pplx -n "__fish_pplx_using_subcommand search" -l provider -d 'Who is asked: web, your subscription, or api, the official API, which needs a key and costs money for each question [default: web]' -r -f -a "web\t'Your subscription'
api\t'The official API: needs a key, and costs money'"
complete -c pplx -n "__fish_pplx_using_subcommand search" -l effort -d 'How much work goes into the answer, instead of a model: fast and low answer in seconds, the others think and search longer, and cost more' -r -f -a "fast\t''
low\t''
medium\t''
high\t''
xhigh\t''"
complete -c pplx -n "__fish_pplx_using_subcommand search" -l domain -d 'Only pages of this host; up to 20 of them' -r
complete -c pplx -n "__fish_pplx_using_subcommand search" -l exclude-domain -d 'No pages of this host; up to 20 of them' -r
complete -c pplx -n "__fish_pplx_using_subcommand search" -l after -d 'Only pages published on this day or later, such as 2026-01-31' -r
complete -c pplx -n "__fish_pplx_using_subcommand search" -l before -d 'Only pages published before this day' -r
complete -c pplx -n "__fish_pplx_using_subcommand search" -l context-size -d 'How much of each page is read' -r -f -a "low\t''
medium\t''
high\t''"
complete -c pplx -n "__fish_pplx_using_subcommand search" -l country -d 'Where you are, as a country\'s two letters' -r
complete -c pplx -n "__fish_pplx_using_subcommand search" -l max-tokens -d 'How many tokens the answer may have [default: 1024 in chat completions of sonar and sonar-pro, else more]' -r
complete -c pplx -n "__fish_pplx_using_subcommand search" -l api-dialect -d 'The interface to speak; auto uses chat completions until the account has only the Agent API [default: auto]' -r -f -a "auto\t''
agent\t''
chat\t''"
complete -c pplx -n "__fish_pplx_using_subcommand search" -s f -l format -d 'How to print [default: pretty on a terminal, else report]' -r -f -a "report\t'Answer, sources and meta data as text'
pretty\t'The same for people: Markdown drawn, links to follow'
answer\t'The answer\'s text alone'
json\t'One JSON object'
ndjson\t'One JSON object a line, as things happen'"
complete -c pplx -n "__fish_pplx_using_subcommand search" -s o -l output -d 'Write to this file instead of standard output' -r -F
complete -c pplx -n "__fish_pplx_using_subcommand search" -l open -d 'Open the source with this number in the browser, too' -r
complete -c pplx -n "__fish_pplx_using_subcommand search" -s n -l limit -d 'Print at most this many sources, those that the answer cites first' -r
complete -c pplx -n "__fish_pplx_using_subcommand search" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c pplx -n "__fish_pplx_using_subcommand search" -l idle-timeout -d 'End when nothing arrives for so long; 0 for never [default: 60]' -r
complete -c pplx -n "__fish_pplx_using_subcommand search" -l timeout -d 'End after so long with what has arrived; 0 for never [default: 110, on a terminal never]' -r
complete -c pplx -n "__fish_pplx_using_subcommand search" -l record -d 'Save the reply\'s exact bytes' -r -F
complete -c pplx -n "__fish_pplx_using_subcommand search" -l replay -d 'Answer from such a file, without network or login' -r -F
complete -c pplx -n "__fish_pplx_using_subcommand search" -s m -l model -d 'The model that should answer [default: pplx_pro_upgraded]' -r -f -a "pplx_pro_upgraded\t''
pplx_pro\t''
experimental\t''"
complete -c pplx -n "__fish_pplx_using_subcommand search" -s s -l source -d 'Where to search: web, scholar, social and others; may be given several times [default: web]' -r -f -a "web\t''
scholar\t''
social\t''
edgar\t''"
complete -c pplx -n "__fish_pplx_using_subcommand search" -l thread -d 'Follow up on the answer with this id, which the answer\'s last lines and its JSON name' -r -f -a ""
complete -c pplx -n "__fish_pplx_using_subcommand search" -l save -d 'Keep the thread in the account\'s history instead of asking incognito'
complete -c pplx -n "__fish_pplx_using_subcommand search" -s c -l continue -d 'Follow up on the last answer'
complete -c pplx -n "__fish_pplx_using_subcommand search" -l research -d 'Deep research: takes minutes, and ends in a report. What it costs is not lost with the connection'
complete -c pplx -n "__fish_pplx_using_subcommand search" -l sources-only -d 'Search only: list the sources, without an answer'
complete -c pplx -n "__fish_pplx_using_subcommand search" -l json -d 'The same as --format json'
complete -c pplx -n "__fish_pplx_using_subcommand search" -l copy -d 'Put the answer on the clipboard, too; over ssh, through the terminal where it takes that'
complete -c pplx -n "__fish_pplx_using_subcommand search" -l no-stream -d 'On a terminal, print the answer when it is whole instead of as it comes'
complete -c pplx -n "__fish_pplx_using_subcommand search" -l no-wrap -d 'Do not break lines longer than 700 bytes'
complete -c pplx -n "__fish_pplx_using_subcommand search" -s v -l verbose -d 'Tell more on standard error: the steps of the search, and what was skipped in the reply'
complete -c pplx -n "__fish_pplx_using_subcommand search" -s q -l quiet -d 'Tell nothing on standard error but errors'
complete -c pplx -n "__fish_pplx_using_subcommand search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pplx -n "__fish_pplx_using_subcommand chat" -s r -l recency -d 'Only pages at most this old' -r -f -a "hour\t''
day\t''
week\t''
month\t''
year\t''"
complete -c pplx -n "__fish_pplx_using_subcommand chat" -l system -d 'Text placed before the question, with a blank line between. The service has no place for instructions, so this is searched for, too' -r
complete -c pplx -n "__fish_pplx_using_subcommand chat" -l language -d 'Language of the answer, as a tag [default: en-US]' -r
complete -c pplx -n "__fish_pplx_using_subcommand chat" -l timezone -d 'Your time zone, as an IANA name [default: the machine\'s]' -r
complete -c pplx -n "__fish_pplx_using_subcommand chat" -l provider -d 'Who is asked: web, your subscription, is all there is here; it says so where settings.toml says otherwise' -r -f -a "web\t'Your subscription'
api\t'The official API: needs a key, and costs money'"
complete -c pplx -n "__fish_pplx_using_subcommand chat" -s n -l limit -d 'Print at most this many sources, those that the answer cites first' -r
complete -c pplx -n "__fish_pplx_using_subcommand chat" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c pplx -n "__fish_pplx_using_subcommand chat" -l idle-timeout -d 'End when nothing arrives for so long; 0 for never [default: 60]' -r
complete -c pplx -n "__fish_pplx_using_subcommand chat" -l timeout -d 'End after so long with what has arrived; 0 for never [default: 110, on a terminal never]' -r
complete -c pplx -n "__fish_pplx_using_subcommand chat" -s m -l model -d 'The model that should answer [default: pplx_pro_upgraded]' -r -f -a "pplx_pro_upgraded\t''
pplx_pro\t''
experimental\t''"
complete -c pplx -n "__fish_pplx_using_subcommand chat" -s s -l source -d 'Where to search: web, scholar, social and others; may be given several times [default: web]' -r -f -a "web\t''
scholar\t''
social\t''
edgar\t''"
complete -c pplx -n "__fish_pplx_using_subcommand chat" -l thread -d 'Follow up on the answer with this id, which the answer\'s last lines and its JSON name' -r -f -a ""
complete -c pplx -n "__fish_pplx_using_subcommand chat" -l save -d 'Keep the thread in the account\'s history instead of asking incognito'
complete -c pplx -n "__fish_pplx_using_subcommand chat" -s c -l continue -d 'Follow up on the last answer'
complete -c pplx -n "__fish_pplx_using_subcommand chat" -l no-stream -d 'On a terminal, print the answer when it is whole instead of as it comes'
complete -c pplx -n "__fish_pplx_using_subcommand chat" -l no-wrap -d 'Do not break lines longer than 700 bytes'
complete -c pplx -n "__fish_pplx_using_subcommand chat" -s v -l verbose -d 'Tell more on standard error: the steps of the search, and what was skipped in the reply'
complete -c pplx -n "__fish_pplx_using_subcommand chat" -s q -l quiet -d 'Tell nothing on standard error but errors'
complete -c pplx -n "__fish_pplx_using_subcommand chat" -s h -l help -d 'Print help'
