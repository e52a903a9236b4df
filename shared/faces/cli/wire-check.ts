import { fail } from '#kit'
import type { EndpointCheck, WireCheck } from '../../runtime/steps/wire-check.ts'
import type { Client } from './client.ts'
import { plain, wrap } from './table.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

export type WireAsked = { integration: string; connection?: string; spend?: boolean; json?: boolean }

const words: Record<EndpointCheck['state'], string> = { ok: 'ok', wrong: 'WRONG', untried: '-' }

/** What the endpoints that were not tried for their price may cost together. */
export const creditsLeft = ({ endpoints }: WireCheck) => endpoints.reduce((sum, { state, credits = 0 }) => sum + (state === 'untried' ? credits : 0), 0)

const chosen = async (client: Client, terminal: Terminal, { integration, connection }: WireAsked): Promise<string> => {
  if (connection !== undefined) return connection
  const rows = await client.operator.connections(integration)
  const only = rows.length === 1 ? rows[0] : rows.find(({ isDefault }) => isDefault)
  if (only) return only.id
  if (rows.length === 0) throw fail('not_connected', `No ${integration} account is connected. Connect one with: ${typed(terminal, `connect ${integration}`)}`)
  throw fail(
    'invalid_input',
    `There are several ${integration} connections and none is the default; name one with -c: ${rows.map(({ name }) => `"${name}"`).join(', ')}.`,
  )
}

const print = (terminal: Terminal, { endpoints, profile, connection }: WireCheck) => {
  terminal.out(`Profile "${plain(profile)}", connection "${plain(connection.name)}" (${connection.id})\n`)
  const width = Math.max(0, ...endpoints.map(({ endpoint }) => endpoint.length))
  for (const { endpoint, state, says } of endpoints) {
    const head = `${words[state].padEnd(5)}  ${plain(endpoint).padEnd(width)}  `
    const indent = ' '.repeat(head.length)
    terminal.out(`${head}${wrap(says, Math.max(40 + indent.length, terminal.width), indent).trimStart()}\n`)
  }
  if (endpoints.length === 0) terminal.out('The wire profile has no endpoints to try; "connections test" tests the connection.\n')
}

/** `toolyard wire check <integration>`. Exit 1 when an endpoint is wrong. */
export const checkWire = async (client: Client, terminal: Terminal, asked: WireAsked): Promise<number> => {
  try {
    const id = await chosen(client, terminal, asked)
    let found = await client.records.wireCheck(id, asked.spend === true)
    if (found.integration !== asked.integration)
      throw fail('invalid_input', `The connection named by -c belongs to ${found.integration}, not to ${asked.integration}.`)
    const credits = creditsLeft(found)
    if (credits > 0 && !asked.json) {
      const question = `Trying the rest may cost ${credits} ${credits === 1 ? 'credit' : 'credits'} of "${plain(found.connection.name)}". Spend them? [y/N] `
      if (/^y(es)?$/i.test(((await terminal.ask?.(question)) ?? '').trim())) found = await client.records.wireCheck(id, true)
    }
    if (asked.json) terminal.out(`${JSON.stringify(found)}\n`)
    else print(terminal, found)
    const left = creditsLeft(found)
    if (left > 0 && !asked.json)
      terminal.out(`\nTo try all, which may cost ${left} ${left === 1 ? 'credit' : 'credits'}: ${typed(terminal, `wire check ${asked.integration} --spend`)}\n`)
    return found.endpoints.some(({ state }) => state === 'wrong') ? 1 : 0
  } finally {
    await client.close()
  }
}
