/** A call of a step written for each face. No snippet contains a secret: the token is `$TOOLYARD_TOKEN`. */
export type StepCall = {
  integration: string
  step: string
  tool: string
  tenant: string
  connection: string | undefined
  input: Record<string, unknown>
}

/** The text quoted as one word of a POSIX shell. */
const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
/** The text as a JavaScript string in single quotes, the style of the documentation. */
const literal = (text: string) =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`

const callBody = ({ connection, input }: StepCall) => ({ connection, input })

/** `api`: the URL of `/v1/`. */
export const asCurl = (call: StepCall, api: string) =>
  [
    `curl -X POST ${quote(`${api}steps/${encodeURIComponent(call.integration)}/${encodeURIComponent(call.step)}/run`)}`,
    `-H "Authorization: Bearer $TOOLYARD_TOKEN"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quote(JSON.stringify(callBody(call)))}`,
  ].join(' \\\n  ')

const indent = (text: string) => text.replaceAll('\n', '\n  ')

export const asLibrary = ({
  integration,
  step,
  tenant,
  connection,
  input,
}: StepCall) => `import { createPack } from 'toolyard'

const pack = await createPack() // with the store that holds the connection
const outcome = await pack.steps.run({ tenant: ${literal(tenant)} }, {
  integration: ${literal(integration)},
  step: ${literal(step)},${connection === undefined ? '' : `\n  connection: ${literal(connection)},`}
  input: ${indent(JSON.stringify(input, null, 2))},
})
if (outcome.ok) console.log(outcome.value)
else console.error(outcome.failure.code, outcome.failure.message)`

export const asMcp = ({ tool, connection, input }: StepCall) =>
  JSON.stringify(
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: { ...input, connection } },
    },
    null,
    2,
  )

export const asCommand = ({ integration, step, connection, input }: StepCall) =>
  [
    `npx toolyard run ${integration} ${step}`,
    ...(Object.keys(input).length === 0 ? [] : [quote(JSON.stringify(input))]),
    ...(connection === undefined ? [] : [`-c ${quote(connection)}`]),
  ].join(' ')
