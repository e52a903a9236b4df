/**
 * The pack as seen through the official client of the first SDK (`@modelcontextprotocol/sdk` 1.x), on which most hosts
 * are built. It lists tools first and from then on holds every structured content to the output schema of its tool,
 * that of a failure too: what it refuses, its host never shows. Every code of the failure table and every example of
 * every step goes through it, whole and cut.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fail, failures, outputJsonSchema, toFailureJson } from '#kit'
import type { FailureCode, Outcome } from '#kit'
import { agentView } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { bytesOf, openMcpWorld, sizeOf } from '../support/mcp-world.ts'
import type { McpWorld, Result } from '../support/mcp-world.ts'
import { offeredCount } from '../support/shipped.ts'

type Listed = {
  name: string
  inputSchema: { properties: object }
  outputSchema?: object
  _meta: Record<string, string>
}
type Client = {
  connect(transport: unknown): Promise<void>
  listTools(): Promise<{ tools: Listed[] }>
  callTool(call: { name: string; arguments: object; _meta?: object }): Promise<unknown>
  close(): Promise<void>
}
type Module = Record<string, new (...args: any[]) => unknown>

const sentenceOf = (code: FailureCode) => `It ended with ${code}. Look at the card "Press kit" before you repeat it.`
const remedyOf = (code: FailureCode) => `Do what ${code} needs.`
const run = { runId: '01a1fe07-c67c-716c-ac48-bcf2f7013932', durationMs: 4, attempts: 1 }

/** A value with each list many entries long, and more than fits beside it. */
const enlarge = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.length === 0
      ? value
      : Array.from({ length: 300 }, (_, index) => value[index % value.length] as unknown)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === 'raw' ? { ...(part as object), more: 'x'.repeat(40_000) } : enlarge(part),
    ]),
  )
}

/** The same for a step, with a field of the provider's own where its output may have one. */
const enlarged = (
  pack: Pack,
  { integration, step }: { integration: string; step: string },
  output: unknown,
): object => {
  const { additionalProperties } = outputJsonSchema(pack.registry.step(integration, step).step.output)
  return { ...(enlarge(output) as object), ...(additionalProperties === false ? {} : { xAdded: 'y '.repeat(20_000) }) }
}

/** Steps that end as the argument "connection" says: `fail:<code>`, `example:<n>`, `large:<n>`. */
const staged = (pack: Pack): Pack => {
  const exampleOf = async (integration: string, step: string, index: number) => {
    const { examples } = (await pack.integrations.manifest(integration)).steps.find(({ id }) => id === step)!
    return examples.filter(({ output }) => output !== undefined)[index]?.output
  }
  const runStaged: Pack['steps']['run'] = async (caller, call): Promise<Outcome> => {
    const [what, which = ''] = (call.connection ?? '').split(':')
    if (what === 'fail') {
      const code = which as FailureCode
      const failure = fail(code, sentenceOf(code), {
        retryAfterMs: 2300,
        providerStatus: 418,
        providerMessage: 'So it is',
        errors: [{ pointer: '/name', message: remedyOf(code) }],
      })
      return { ok: false, failure: toFailureJson(failure), meta: run }
    }
    const output = await exampleOf(call.integration, call.step, Number(which))
    if (call.dryRun) return { ok: true, value: { requests: [output], complete: true }, meta: run }
    return { ok: true, value: what === 'large' ? enlarged(pack, call, output) : output, meta: run }
  }
  return { ...pack, steps: { ...pack.steps, run: runStaged } }
}

type Expect = (holds: boolean, otherwise: string) => void

const checkFailures = async (client: Client, names: string[], expectThat: Expect, over: string) => {
  let seen = 0
  for (const code of Object.keys(failures) as FailureCode[]) {
    for (const name of names) {
      const result = (await client
        .callTool({ name, arguments: { connection: `fail:${code}` } })
        .catch((error: Error) => ({ error: error.message }))) as Result & { error?: string }
      const text = result.content?.map((part) => part.text).join('\n') ?? ''
      const says =
        text.startsWith(`${code}: ${sentenceOf(code)}`) && text.includes(remedyOf(code)) && text.includes('So it is')
      const reportedFailure = result._meta?.['toolyard/failure']
      const isWhole =
        reportedFailure?.code === code &&
        reportedFailure.message === sentenceOf(code) &&
        reportedFailure.runId === run.runId &&
        reportedFailure.actor === failures[code].actor
      if (result.isError && says && isWhole) seen += 1
      else
        expectThat(
          false,
          `first SDK over ${over}: ${code} of ${name} did not reach the caller: ${JSON.stringify(result).slice(0, 300)}`,
        )
    }
  }
  return seen
}

const checkExamples = async (client: Client, world: McpWorld, listed: Listed[], expectThat: Expect, over: string) => {
  const names = listed.map(({ name }) => name)
  const widens = listed.filter(({ inputSchema }) => 'fields' in inputSchema.properties).map(({ name }) => name)
  let [whole, cut] = [0, 0]
  const check = async (name: string, args: object, meta?: object) => {
    try {
      const result = (await client.callTool({ name, arguments: args, ...(meta ? { _meta: meta } : {}) })) as Result
      expectThat(sizeOf(result) <= 25_000, `first SDK over ${over}: an answer of ${name} has ${sizeOf(result)} bytes`)
      expectThat(
        result.structuredContent?._notes?.join('\n') === result.content[1]?.text,
        `first SDK over ${over}: the notes of ${name} differ`,
      )
      if (result._meta?.['toolyard/cut']) cut += 1
      else whole += 1
      return result
    } catch (error) {
      expectThat(
        false,
        `first SDK over ${over}: an answer of ${name} was refused: ${(error as Error).message.slice(0, 300)}`,
      )
      return undefined
    }
  }
  for (const { steps, integration } of world.pack.registry.all) {
    const manifest = await world.pack.integrations.manifest(integration.id)
    for (const [id, { tool }] of steps) {
      if (!names.includes(tool)) continue
      const outputs = manifest.steps
        .find((step) => step.id === id)!
        .examples.flatMap(({ output }) => (output === undefined ? [] : [output]))
      expectThat(outputs.length > 0, `first SDK: ${tool} has no example`)
      for (const [index, output] of outputs.entries()) {
        await check(tool, { connection: `example:${index}` })
        const large = await check(tool, { connection: `large:${index}` })
        const isCut = /^(Cut|Left out)/m.test(large?.structuredContent?._notes?.join('\n') ?? '')
        const shown = agentView(
          integration.id,
          manifest.steps.find((step) => step.id === id)!,
        )
          .read({})
          .narrow(enlarged(world.pack, { integration: integration.id, step: id }, output))
        // The notes take some of the space: between the two it depends on them.
        const [fits, exceeds] = [bytesOf(shown) < 24_000, bytesOf(shown) > 25_000]
        expectThat(
          isCut ? !fits : !exceeds,
          `first SDK over ${over}: what was cut of ${tool} (${bytesOf(shown)} bytes) is not said in the data`,
        )
        await check(tool, { connection: `example:${index}` }, { 'toolyard/dryRun': true })
        if (widens.includes(tool)) await check(tool, { connection: `example:${index}`, fields: 'all' })
      }
    }
  }
  return { whole, cut }
}

/** Checks the pack over both transports. `tools`: the folder that the SDK is installed in. */
export const checkFirstSdk = async (tools: string, entry: string, expectThat: Expect): Promise<void> => {
  const require = createRequire(join(tools, 'package.json'))
  const load = async (path: string) =>
    (await import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${path}`)).href)) as Module
  const [{ Client }, { StreamableHTTPClientTransport }, { StdioClientTransport }] = await Promise.all(
    ['client/index.js', 'client/streamableHttp.js', 'client/stdio.js'].map(load) as [
      Promise<Module>,
      Promise<Module>,
      Promise<Module>,
    ],
  )
  const world = await openMcpWorld({ accounts: 'none', change: staged })
  const transports: Record<string, () => unknown> = {
    http: () =>
      new StreamableHTTPClientTransport!(new URL('/mcp?set=all', world.address), {
        requestInit: { headers: { authorization: `Bearer ${world.token}` } },
      }),
    stdio: () =>
      new StdioClientTransport!({
        command: process.execPath,
        args: [entry, 'mcp', '--set', 'all'],
        env: { TOOLYARD_URL: world.address, TOOLYARD_TOKEN: world.token },
        stderr: 'ignore',
      }),
  }
  try {
    for (const [over, transport] of Object.entries(transports)) {
      const client = new Client!({ name: 'test', version: '1' }) as Client
      await client.connect(transport())
      // Listing makes the client hold answers to the schemas.
      const all = (await client.listTools()).tools
      // Lookups at several providers run steps, and tell of their failures in what they answer.
      const listed = all.filter(({ _meta }) => _meta['toolyard/integrations'] === undefined)
      const names = listed.map(({ name }) => name)
      expectThat(
        names.length === offeredCount &&
          all.length === names.length + 2 &&
          all.every(({ outputSchema }) => outputSchema !== undefined),
        `first SDK over ${over}: ${all.length} tools`,
      )
      const seen = await checkFailures(client, names, expectThat, over)
      const { whole, cut } = await checkExamples(client, world, listed, expectThat, over)
      await client.close()
      console.log(
        `first SDK over ${over}: ${seen} of ${names.length * Object.keys(failures).length} failures (every code, every tool) reach the caller; ${whole} whole and ${cut} cut answers keep to their schemas`,
      )
    }
  } finally {
    await world.close()
  }
}
