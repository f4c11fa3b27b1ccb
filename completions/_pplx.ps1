
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'pplx' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'pplx'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'pplx' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('login', 'login', [CompletionResultType]::ParameterValue, 'Log in: with the desktop app''s session, or an e-mail address and a code')
            [CompletionResult]::new('logout', 'logout', [CompletionResultType]::ParameterValue, 'Delete what is stored: the session, and an API key with it')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show who is logged in, from where and until when; exit code 4 when no search would work')
            [CompletionResult]::new('research', 'research', [CompletionResultType]::ParameterValue, 'Fetch a run of deep research')
            [CompletionResult]::new('threads', 'threads', [CompletionResultType]::ParameterValue, 'List, show, export and delete the threads that the account has saved')
            [CompletionResult]::new('models', 'models', [CompletionResultType]::ParameterValue, 'List the models that can be asked')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Check step by step what a search needs, and say what is missing')
            [CompletionResult]::new('mcp', 'mcp', [CompletionResultType]::ParameterValue, 'Serve searches to agents over the Model Context Protocol, on standard input and output')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Serve the subscription to clients of OpenAI''s API, on this machine')
            [CompletionResult]::new('integrate', 'integrate', [CompletionResultType]::ParameterValue, 'Tell a coding agent about this program: write its extension or skill')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Explain a command or a topic')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Ask, and print the sourced answer')
            [CompletionResult]::new('chat', 'chat', [CompletionResultType]::ParameterValue, 'Talk, line by line: each question follows up on the answer before it')
            break
        }
        'pplx;login' {
            [CompletionResult]::new('--email', '--email', [CompletionResultType]::ParameterName, 'Have a code sent to this address (also: PPLX_EMAIL)')
            [CompletionResult]::new('--browser', '--browser', [CompletionResultType]::ParameterName, 'Paste a session from a browser: a request copied as cURL, a Cookie header, or the session cookie''s value')
            [CompletionResult]::new('--with-token', '--with-token', [CompletionResultType]::ParameterName, 'Read a token from standard input')
            [CompletionResult]::new('--api-key', '--api-key', [CompletionResultType]::ParameterName, 'Read a key of the official API from standard input, and store it beside the session')
            [CompletionResult]::new('--from-omp', '--from-omp', [CompletionResultType]::ParameterName, 'Import the session of oh-my-pi (`omp token perplexity`)')
            [CompletionResult]::new('--no-borrow', '--no-borrow', [CompletionResultType]::ParameterName, 'Do not look for the desktop app''s session')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'pplx;logout' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'pplx;status' {
            [CompletionResult]::new('--online', '--online', [CompletionResultType]::ParameterName, 'Also ask the service: for the plan, and for what is left of it')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print a JSON object')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'pplx;research' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('get', 'get', [CompletionResultType]::ParameterValue, 'Print a run of deep research, or wait for its end')
            break
        }
        'pplx;research;get' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'How to print [default: pretty on a terminal, else report]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to print [default: pretty on a terminal, else report]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to this file instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to this file instead of standard output')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Open the source with this number in the browser, too')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Print at most this many sources, those that the answer cites first')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Print at most this many sources, those that the answer cites first')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End when nothing arrives for so long; 0 for never [default: 60]')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'End after so long with what has arrived; 0 for never [default: 110, on a terminal never]')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --format json')
            [CompletionResult]::new('--copy', '--copy', [CompletionResultType]::ParameterName, 'Put the answer on the clipboard, too; over ssh, through the terminal where it takes that')
            [CompletionResult]::new('--no-stream', '--no-stream', [CompletionResultType]::ParameterName, 'On a terminal, print the answer when it is whole instead of as it comes')
            [CompletionResult]::new('--no-wrap', '--no-wrap', [CompletionResultType]::ParameterName, 'Do not break lines longer than 700 bytes')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Tell more on standard error: the steps of the search, and what was skipped in the reply')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Tell more on standard error: the steps of the search, and what was skipped in the reply')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Tell nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Tell nothing on standard error but errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pplx;threads' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the threads, the newest first')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print a thread, as Markdown or JSON')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write a thread to a file')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Delete a thread')
            break
        }
        'pplx;threads;list' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'How many')
            [CompletionResult]::new('--count', '--count', [CompletionResultType]::ParameterName, 'How many')
            [CompletionResult]::new('--search', '--search', [CompletionResultType]::ParameterName, 'Only those that match')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print a JSON object')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'pplx;threads;show' {
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print a JSON object')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'pplx;threads;export' {
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write a JSON object instead of Markdown')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'pplx;threads;delete' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'pplx;models' {
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print a JSON object')
            [CompletionResult]::new('--refresh', '--refresh', [CompletionResultType]::ParameterName, 'Ask the service even if the last list is less than a day old')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'pplx;doctor' {
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print a JSON object')
            [CompletionResult]::new('--no-ask', '--no-ask', [CompletionResultType]::ParameterName, 'Do not ask a question')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'pplx;mcp' {
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Answer each call within so long, with what has come, and an id for the rest [default: 55, for oh-my-pi 25]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'pplx;serve' {
            [CompletionResult]::new('--listen', '--listen', [CompletionResultType]::ParameterName, 'Address and port to listen on; port 0 picks a free one [default: 127.0.0.1:8892]')
            [CompletionResult]::new('--key-file', '--key-file', [CompletionResultType]::ParameterName, 'Read the key that clients must send from this file')
            [CompletionResult]::new('--alias', '--alias', [CompletionResultType]::ParameterName, 'Another name for a model; repeatable')
            [CompletionResult]::new('--allow-origin', '--allow-origin', [CompletionResultType]::ParameterName, 'Let web pages of this origin call the server; repeatable')
            [CompletionResult]::new('--allow-host', '--allow-host', [CompletionResultType]::ParameterName, 'A host name by which the server is called, besides localhost and addresses; repeatable')
            [CompletionResult]::new('--notify', '--notify', [CompletionResultType]::ParameterName, 'Where a message is posted when the session ends: a topic of ntfy, or any webhook')
            [CompletionResult]::new('--experimental-tools', '--experimental-tools', [CompletionResultType]::ParameterName, 'Let models call the client''s functions, by a prompt: unreliable, and every deviation is an error')
            [CompletionResult]::new('--refuse-substitution', '--refuse-substitution', [CompletionResultType]::ParameterName, 'Fail where another model answers than the one that was asked for')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Ask the running server whether all is well, and exit')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'pplx;integrate' {
            [CompletionResult]::new('--print', '--print', [CompletionResultType]::ParameterName, 'Show the files and where they would go; write nothing')
            [CompletionResult]::new('--remove', '--remove', [CompletionResultType]::ParameterName, 'Delete the files')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pplx;completions' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'pplx;man' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'pplx;help' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'pplx;search' {
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Only pages at most this old')
            [CompletionResult]::new('--recency', '--recency', [CompletionResultType]::ParameterName, 'Only pages at most this old')
            [CompletionResult]::new('--system', '--system', [CompletionResultType]::ParameterName, 'Text placed before the question, with a blank line between. The service has no place for instructions, so this is searched for, too')
            [CompletionResult]::new('--language', '--language', [CompletionResultType]::ParameterName, 'Language of the answer, as a tag [default: en-US]')
            [CompletionResult]::new('--timezone', '--timezone', [CompletionResultType]::ParameterName, 'Your time zone, as an IANA name [default: the machine''s]')
            [CompletionResult]::new('--attach', '--attach', [CompletionResultType]::ParameterName, 'A file to go along with the question: an image, PDF, text or office file of up to 50 MB; may be given several times')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Who is asked: web, your subscription, or api, the official API, which needs a key and costs money for each question [default: web]')
            [CompletionResult]::new('--effort', '--effort', [CompletionResultType]::ParameterName, 'How much work goes into the answer, instead of a model: fast and low answer in seconds, the others think and search longer, and cost more')
            [CompletionResult]::new('--domain', '--domain', [CompletionResultType]::ParameterName, 'Only pages of this host; up to 20 of them')
            [CompletionResult]::new('--exclude-domain', '--exclude-domain', [CompletionResultType]::ParameterName, 'No pages of this host; up to 20 of them')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Only pages published on this day or later, such as 2026-01-31')
            [CompletionResult]::new('--before', '--before', [CompletionResultType]::ParameterName, 'Only pages published before this day')
            [CompletionResult]::new('--context-size', '--context-size', [CompletionResultType]::ParameterName, 'How much of each page is read')
            [CompletionResult]::new('--country', '--country', [CompletionResultType]::ParameterName, 'Where you are, as a country''s two letters')
            [CompletionResult]::new('--max-tokens', '--max-tokens', [CompletionResultType]::ParameterName, 'How many tokens the answer may have [default: 1024 in chat completions of sonar and sonar-pro, else more]')
            [CompletionResult]::new('--api-dialect', '--api-dialect', [CompletionResultType]::ParameterName, 'The interface to speak; auto uses chat completions until the account has only the Agent API [default: auto]')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'How to print [default: pretty on a terminal, else report]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to print [default: pretty on a terminal, else report]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to this file instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to this file instead of standard output')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Open the source with this number in the browser, too')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Print at most this many sources, those that the answer cites first')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Print at most this many sources, those that the answer cites first')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End when nothing arrives for so long; 0 for never [default: 60]')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'End after so long with what has arrived; 0 for never [default: 110, on a terminal never]')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Save the reply''s exact bytes')
            [CompletionResult]::new('--replay', '--replay', [CompletionResultType]::ParameterName, 'Answer from such a file, without network or login')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'The model that should answer [default: pplx_pro_upgraded]')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model that should answer [default: pplx_pro_upgraded]')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Where to search: web, scholar, social and others; may be given several times [default: web]')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'Where to search: web, scholar, social and others; may be given several times [default: web]')
            [CompletionResult]::new('--thread', '--thread', [CompletionResultType]::ParameterName, 'Follow up on the answer with this id, which the answer''s last lines and its JSON name')
            [CompletionResult]::new('--save', '--save', [CompletionResultType]::ParameterName, 'Keep the thread in the account''s history instead of asking incognito')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Follow up on the last answer')
            [CompletionResult]::new('--continue', '--continue', [CompletionResultType]::ParameterName, 'Follow up on the last answer')
            [CompletionResult]::new('--research', '--research', [CompletionResultType]::ParameterName, 'Deep research: takes minutes, and ends in a report. What it costs is not lost with the connection')
            [CompletionResult]::new('--sources-only', '--sources-only', [CompletionResultType]::ParameterName, 'Search only: list the sources, without an answer')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --format json')
            [CompletionResult]::new('--copy', '--copy', [CompletionResultType]::ParameterName, 'Put the answer on the clipboard, too; over ssh, through the terminal where it takes that')
            [CompletionResult]::new('--no-stream', '--no-stream', [CompletionResultType]::ParameterName, 'On a terminal, print the answer when it is whole instead of as it comes')
            [CompletionResult]::new('--no-wrap', '--no-wrap', [CompletionResultType]::ParameterName, 'Do not break lines longer than 700 bytes')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Tell more on standard error: the steps of the search, and what was skipped in the reply')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Tell more on standard error: the steps of the search, and what was skipped in the reply')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Tell nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Tell nothing on standard error but errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pplx;chat' {
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Only pages at most this old')
            [CompletionResult]::new('--recency', '--recency', [CompletionResultType]::ParameterName, 'Only pages at most this old')
            [CompletionResult]::new('--system', '--system', [CompletionResultType]::ParameterName, 'Text placed before the question, with a blank line between. The service has no place for instructions, so this is searched for, too')
            [CompletionResult]::new('--language', '--language', [CompletionResultType]::ParameterName, 'Language of the answer, as a tag [default: en-US]')
            [CompletionResult]::new('--timezone', '--timezone', [CompletionResultType]::ParameterName, 'Your time zone, as an IANA name [default: the machine''s]')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Who is asked: web, your subscription, is all there is here; it says so where settings.toml says otherwise')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Print at most this many sources, those that the answer cites first')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Print at most this many sources, those that the answer cites first')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End when nothing arrives for so long; 0 for never [default: 60]')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'End after so long with what has arrived; 0 for never [default: 110, on a terminal never]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'The model that should answer [default: pplx_pro_upgraded]')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model that should answer [default: pplx_pro_upgraded]')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Where to search: web, scholar, social and others; may be given several times [default: web]')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'Where to search: web, scholar, social and others; may be given several times [default: web]')
            [CompletionResult]::new('--thread', '--thread', [CompletionResultType]::ParameterName, 'Follow up on the answer with this id, which the answer''s last lines and its JSON name')
            [CompletionResult]::new('--save', '--save', [CompletionResultType]::ParameterName, 'Keep the thread in the account''s history instead of asking incognito')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Follow up on the last answer')
            [CompletionResult]::new('--continue', '--continue', [CompletionResultType]::ParameterName, 'Follow up on the last answer')
            [CompletionResult]::new('--no-stream', '--no-stream', [CompletionResultType]::ParameterName, 'On a terminal, print the answer when it is whole instead of as it comes')
            [CompletionResult]::new('--no-wrap', '--no-wrap', [CompletionResultType]::ParameterName, 'Do not break lines longer than 700 bytes')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Tell more on standard error: the steps of the search, and what was skipped in the reply')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Tell more on standard error: the steps of the search, and what was skipped in the reply')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Tell nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Tell nothing on standard error but errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
