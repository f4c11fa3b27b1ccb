// The tool pplx_search for oh-my-pi and pi: runs the program `pplx` that is on PATH.
//
// PPLX_BIN names another program, PPLX_AGENT_TIMEOUT the seconds that an answer may take (55; both hosts lose patience
// after 60), and PPLX_REPLACE_WEB_SEARCH=1 puts the tool in the place of the host's own web_search, too.

const BIN = process.env.PPLX_BIN || "pplx";
const SECONDS = Number(process.env.PPLX_AGENT_TIMEOUT) || 55;
const AGES = ["hour", "day", "week", "month", "year"];

const PARAMETERS = {
  type: "object",
  properties: {
    query: { type: "string", description: "The question, as one would ask a person" },
    recency: { type: "string", enum: AGES, description: "Only pages at most this old" },
    limit: { type: "integer", minimum: 1, description: "How many sources to list (default 10)" },
    model: { type: "string", description: "Another model than the usual one, by its id" },
  },
  required: ["query"],
};

const MISSING = `cannot run ${BIN}: it is not installed, or not on PATH. Install pplx, or set PPLX_BIN to it.`;
const FOREIGN = `${BIN} is another program of that name, such as Perplexity's own. Set PPLX_BIN to the pplx that searches through the subscription.`;

type Run = { stdout: string; stderr: string; code: number };

/** Runs the program; a missing one is told in the same way by both hosts. */
async function run(pi: any, args: string[], signal?: AbortSignal): Promise<Run> {
  let ran: Run;
  try {
    ran = await pi.exec(BIN, args, { signal, timeout: (SECONDS + 10) * 1000 });
  } catch (error) {
    const reason = String((error as Error)?.message ?? error);
    throw new Error(/not found|ENOENT/i.test(reason) ? MISSING : reason);
  }
  if (ran.code !== 0 && /ENOENT/.test(ran.stderr)) throw new Error(MISSING);
  return ran;
}

let isOurs: Promise<boolean> | undefined;

/** Perplexity ships a program of the same name; ours says of itself that it is unofficial. */
async function refuseForeign(pi: any): Promise<void> {
  isOurs ??= run(pi, ["--version"]).then((ran) => {
    // One host does not throw for a program that is not there, and says nothing.
    if (ran.code !== 0 && ran.stdout === "") throw new Error(MISSING);
    return ran.stdout.includes("unofficial");
  });
  let ours = false;
  try {
    ours = await isOurs;
  } finally {
    // It may be installed before the next call.
    if (!ours) isOurs = undefined;
  }
  if (!ours) throw new Error(FOREIGN);
}

function argumentsOf(params: any): string[] {
  const args = ["search", "--quiet", "--format", "report", "--color", "never", "--timeout", String(SECONDS)];
  args.push("--limit", String(params.limit ?? 10));
  if (params.recency) args.push("--recency", String(params.recency));
  if (params.model) args.push("--model", String(params.model));
  return [...args, "--", String(params.query)];
}

/** The host's parameters after the call's own come in an order that differs. */
function signalAmong(values: unknown[]): AbortSignal | undefined {
  return values.find((value): value is AbortSignal => value instanceof AbortSignal);
}

/** The front of a line that fits, where a character may take two cells. */
function fitting(line: string, width: number): string {
  let cells = 0;
  let front = "";
  for (const character of line) {
    cells += character.codePointAt(0)! < 0x1100 ? 1 : 2;
    if (cells > width) return front.slice(0, -1) + "…";
    front += character;
  }
  return front;
}

/** Lines as the hosts draw them: each no wider than the screen. */
function drawn(lines: string[]) {
  return { render: (width: number) => lines.map((line) => fitting(line, width)), invalidate() {} };
}

function tool(pi: any, name: string) {
  return {
    name,
    label: "Perplexity",
    description: "Searches the web with Perplexity and answers with numbered sources. Takes 5 to 50 seconds.",
    parameters: PARAMETERS,
    approval: "read",
    loadMode: "essential",
    async execute(_id: string, params: any, ...rest: unknown[]) {
      if (typeof params?.query !== "string" || params.query.trim() === "") throw new Error("query must not be empty");
      await refuseForeign(pi);
      const ran = await run(pi, argumentsOf(params), signalAmong(rest));
      // 8: the answer is incomplete, and says so itself.
      if (ran.stdout.trim() !== "" && (ran.code === 0 || ran.code === 8)) {
        return { content: [{ type: "text", text: ran.stdout }], details: { query: params.query, code: ran.code } };
      }
      throw new Error(ran.stderr.trim() || `pplx ended with code ${ran.code}`);
    },
    renderCall(args: any) {
      const age = args?.recency ? ` (${args.recency})` : "";
      return drawn([`Perplexity: ${String(args?.query ?? "").replace(/\s+/g, " ")}${age}`]);
    },
    renderResult(result: any) {
      const text = String(result?.content?.[0]?.text ?? "");
      const [answer, below = ""] = text.split(/^## Sources$/m);
      const said = answer.replace(/^## Answer\n/, "").split("\n").filter((line) => line.trim() !== "");
      const count = below.trim().split("\n")[0] ?? "";
      return drawn([...said.slice(0, 6), ...(said.length > 6 ? ["…"] : []), ...(count ? [count] : [])]);
    },
  };
}

export default function (pi: any) {
  pi.registerTool(tool(pi, "pplx_search"));
  if (process.env.PPLX_REPLACE_WEB_SEARCH === "1") pi.registerTool(tool(pi, "web_search"));
}
