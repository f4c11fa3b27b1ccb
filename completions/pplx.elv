
use builtin;
use str;

set edit:completion:arg-completer[pplx] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'pplx'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'pplx'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand login 'Log in: with the desktop app''s session, or an e-mail address and a code'
            cand logout 'Delete what is stored: the session, and an API key with it'
            cand status 'Show who is logged in, from where and until when; exit code 4 when no search would work'
            cand research 'Fetch a run of deep research'
            cand threads 'List, show, export and delete the threads that the account has saved'
            cand models 'List the models that can be asked'
            cand doctor 'Check step by step what a search needs, and say what is missing'
            cand mcp 'Serve searches to agents over the Model Context Protocol, on standard input and output'
            cand serve 'Serve the subscription to clients of OpenAI''s API, on this machine'
            cand integrate 'Tell a coding agent about this program: write its extension or skill'
            cand completions 'Print a completion script'
            cand man 'Print the manual page'
            cand help 'Explain a command or a topic'
            cand search 'Ask, and print the sourced answer'
            cand chat 'Talk, line by line: each question follows up on the answer before it'
        }
        &'pplx;login'= {
            cand --email 'Have a code sent to this address (also: PPLX_EMAIL)'
            cand --browser 'Paste a session from a browser: a request copied as cURL, a Cookie header, or the session cookie''s value'
            cand --with-token 'Read a token from standard input'
            cand --api-key 'Read a key of the official API from standard input, and store it beside the session'
            cand --from-omp 'Import the session of oh-my-pi (`omp token perplexity`)'
            cand --no-borrow 'Do not look for the desktop app''s session'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'pplx;logout'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'pplx;status'= {
            cand --online 'Also ask the service: for the plan, and for what is left of it'
            cand --json 'Print a JSON object'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'pplx;research'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand get 'Print a run of deep research, or wait for its end'
        }
        &'pplx;research;get'= {
            cand -f 'How to print [default: pretty on a terminal, else report]'
            cand --format 'How to print [default: pretty on a terminal, else report]'
            cand -o 'Write to this file instead of standard output'
            cand --output 'Write to this file instead of standard output'
            cand --open 'Open the source with this number in the browser, too'
            cand -n 'Print at most this many sources, those that the answer cites first'
            cand --limit 'Print at most this many sources, those that the answer cites first'
            cand --color 'When to use colour'
            cand --idle-timeout 'End when nothing arrives for so long; 0 for never [default: 60]'
            cand --timeout 'End after so long with what has arrived; 0 for never [default: 110, on a terminal never]'
            cand --json 'The same as --format json'
            cand --copy 'Put the answer on the clipboard, too; over ssh, through the terminal where it takes that'
            cand --no-stream 'On a terminal, print the answer when it is whole instead of as it comes'
            cand --no-wrap 'Do not break lines longer than 700 bytes'
            cand -v 'Tell more on standard error: the steps of the search, and what was skipped in the reply'
            cand --verbose 'Tell more on standard error: the steps of the search, and what was skipped in the reply'
            cand -q 'Tell nothing on standard error but errors'
            cand --quiet 'Tell nothing on standard error but errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pplx;threads'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand list 'List the threads, the newest first'
            cand show 'Print a thread, as Markdown or JSON'
            cand export 'Write a thread to a file'
            cand delete 'Delete a thread'
        }
        &'pplx;threads;list'= {
            cand -n 'How many'
            cand --count 'How many'
            cand --search 'Only those that match'
            cand --json 'Print a JSON object'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'pplx;threads;show'= {
            cand --json 'Print a JSON object'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'pplx;threads;export'= {
            cand --json 'Write a JSON object instead of Markdown'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'pplx;threads;delete'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'pplx;models'= {
            cand --json 'Print a JSON object'
            cand --refresh 'Ask the service even if the last list is less than a day old'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'pplx;doctor'= {
            cand --json 'Print a JSON object'
            cand --no-ask 'Do not ask a question'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'pplx;mcp'= {
            cand --timeout 'Answer each call within so long, with what has come, and an id for the rest [default: 55, for oh-my-pi 25]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'pplx;serve'= {
            cand --listen 'Address and port to listen on; port 0 picks a free one [default: 127.0.0.1:8892]'
            cand --key-file 'Read the key that clients must send from this file'
            cand --alias 'Another name for a model; repeatable'
            cand --allow-origin 'Let web pages of this origin call the server; repeatable'
            cand --allow-host 'A host name by which the server is called, besides localhost and addresses; repeatable'
            cand --notify 'Where a message is posted when the session ends: a topic of ntfy, or any webhook'
            cand --experimental-tools 'Let models call the client''s functions, by a prompt: unreliable, and every deviation is an error'
            cand --refuse-substitution 'Fail where another model answers than the one that was asked for'
            cand --check 'Ask the running server whether all is well, and exit'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'pplx;integrate'= {
            cand --print 'Show the files and where they would go; write nothing'
            cand --remove 'Delete the files'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pplx;completions'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'pplx;man'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'pplx;help'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'pplx;search'= {
            cand -r 'Only pages at most this old'
            cand --recency 'Only pages at most this old'
            cand --system 'Text placed before the question, with a blank line between. The service has no place for instructions, so this is searched for, too'
            cand --language 'Language of the answer, as a tag [default: en-US]'
            cand --timezone 'Your time zone, as an IANA name [default: the machine''s]'
            cand --attach 'A file to go along with the question: an image, PDF, text or office file of up to 50 MB; may be given several times'
            cand --provider 'Who is asked: web, your subscription, or api, the official API, which needs a key and costs money for each question [default: web]'
            cand --effort 'How much work goes into the answer, instead of a model: fast and low answer in seconds, the others think and search longer, and cost more'
            cand --domain 'Only pages of this host; up to 20 of them'
            cand --exclude-domain 'No pages of this host; up to 20 of them'
            cand --after 'Only pages published on this day or later, such as 2026-01-31'
            cand --before 'Only pages published before this day'
            cand --context-size 'How much of each page is read'
            cand --country 'Where you are, as a country''s two letters'
            cand --max-tokens 'How many tokens the answer may have [default: 1024 in chat completions of sonar and sonar-pro, else more]'
            cand --api-dialect 'The interface to speak; auto uses chat completions until the account has only the Agent API [default: auto]'
            cand -f 'How to print [default: pretty on a terminal, else report]'
            cand --format 'How to print [default: pretty on a terminal, else report]'
            cand -o 'Write to this file instead of standard output'
            cand --output 'Write to this file instead of standard output'
            cand --open 'Open the source with this number in the browser, too'
            cand -n 'Print at most this many sources, those that the answer cites first'
            cand --limit 'Print at most this many sources, those that the answer cites first'
            cand --color 'When to use colour'
            cand --idle-timeout 'End when nothing arrives for so long; 0 for never [default: 60]'
            cand --timeout 'End after so long with what has arrived; 0 for never [default: 110, on a terminal never]'
            cand --record 'Save the reply''s exact bytes'
            cand --replay 'Answer from such a file, without network or login'
            cand -m 'The model that should answer [default: pplx_pro_upgraded]'
            cand --model 'The model that should answer [default: pplx_pro_upgraded]'
            cand -s 'Where to search: web, scholar, social and others; may be given several times [default: web]'
            cand --source 'Where to search: web, scholar, social and others; may be given several times [default: web]'
            cand --thread 'Follow up on the answer with this id, which the answer''s last lines and its JSON name'
            cand --save 'Keep the thread in the account''s history instead of asking incognito'
            cand -c 'Follow up on the last answer'
            cand --continue 'Follow up on the last answer'
            cand --research 'Deep research: takes minutes, and ends in a report. What it costs is not lost with the connection'
            cand --sources-only 'Search only: list the sources, without an answer'
            cand --json 'The same as --format json'
            cand --copy 'Put the answer on the clipboard, too; over ssh, through the terminal where it takes that'
            cand --no-stream 'On a terminal, print the answer when it is whole instead of as it comes'
            cand --no-wrap 'Do not break lines longer than 700 bytes'
            cand -v 'Tell more on standard error: the steps of the search, and what was skipped in the reply'
            cand --verbose 'Tell more on standard error: the steps of the search, and what was skipped in the reply'
            cand -q 'Tell nothing on standard error but errors'
            cand --quiet 'Tell nothing on standard error but errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pplx;chat'= {
            cand -r 'Only pages at most this old'
            cand --recency 'Only pages at most this old'
            cand --system 'Text placed before the question, with a blank line between. The service has no place for instructions, so this is searched for, too'
            cand --language 'Language of the answer, as a tag [default: en-US]'
            cand --timezone 'Your time zone, as an IANA name [default: the machine''s]'
            cand --provider 'Who is asked: web, your subscription, is all there is here; it says so where settings.toml says otherwise'
            cand -n 'Print at most this many sources, those that the answer cites first'
            cand --limit 'Print at most this many sources, those that the answer cites first'
            cand --color 'When to use colour'
            cand --idle-timeout 'End when nothing arrives for so long; 0 for never [default: 60]'
            cand --timeout 'End after so long with what has arrived; 0 for never [default: 110, on a terminal never]'
            cand -m 'The model that should answer [default: pplx_pro_upgraded]'
            cand --model 'The model that should answer [default: pplx_pro_upgraded]'
            cand -s 'Where to search: web, scholar, social and others; may be given several times [default: web]'
            cand --source 'Where to search: web, scholar, social and others; may be given several times [default: web]'
            cand --thread 'Follow up on the answer with this id, which the answer''s last lines and its JSON name'
            cand --save 'Keep the thread in the account''s history instead of asking incognito'
            cand -c 'Follow up on the last answer'
            cand --continue 'Follow up on the last answer'
            cand --no-stream 'On a terminal, print the answer when it is whole instead of as it comes'
            cand --no-wrap 'Do not break lines longer than 700 bytes'
            cand -v 'Tell more on standard error: the steps of the search, and what was skipped in the reply'
            cand --verbose 'Tell more on standard error: the steps of the search, and what was skipped in the reply'
            cand -q 'Tell nothing on standard error but errors'
            cand --quiet 'Tell nothing on standard error but errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
    ]
    $completions[$command]
}
