/** What a started server prints to try it. */

/** Examples of a sandbox: a step without input, lookups under a profile, and a trigger with the request that makes it fire. */
type Examples = {
  step: string
  lookups: { profile: string; step: string; input: Record<string, unknown> }[]
  trigger?: { purpose: string; subscribe: string; request: { url: string; body: object } }
}

/** The token is in double quotes, so that a shell expands the variable or command in its place. */
export const exampleCall = (address: string, token: string, step: string | undefined, input: Record<string, unknown> = {}) =>
  step === undefined
    ? `curl -s ${address}/v1/integrations -H "Authorization: Bearer ${token}"`
    : `curl -s -X POST ${address}/v1/steps/${step}/run -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' -d '${JSON.stringify({ input }).replaceAll("'", `'\\''`)}'`

const exampleTrigger = ({ purpose, subscribe, request }: NonNullable<Examples['trigger']>, self: string) => [
  purpose,
  `${self} subscribe ${subscribe} --watch`,
  `curl -s -X POST ${request.url} -d '${JSON.stringify(request.body)}'`,
  '',
]

/** Lines to try a server with, in its sandbox if it has one. */
export const formatExamples = (examples: Examples | undefined, address: string, token: string, self: string): string[] => [
  'Try:',
  exampleCall(address, token, examples?.step),
  '',
  ...(examples?.lookups ?? []).flatMap(({ profile, step, input }) => [
    `Look somebody up, as ${profile} answers:`,
    exampleCall(address, token, step, input),
    '',
  ]),
  ...(examples?.trigger ? exampleTrigger(examples.trigger, self) : []),
]

/** What a started server is and where, then how to try it. */
export const formatBanner = (version: string, rows: [name: string, value: string][], examples: string[]): string =>
  `${[`toolyard ${version} is running. Ctrl-C stops it.`, '', ...rows.map(([name, value]) => `  ${name.padEnd(16)} ${value}`), '', ...examples].join('\n')}\n`
