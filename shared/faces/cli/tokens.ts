import { failField } from '#kit'
import { allScopes } from '../../pack.ts'
import type { Scope } from '../../api/rules.ts'
import type { Client } from './client.ts'
import { table } from './table.ts'
import type { Terminal } from './terminal.ts'

type Listed = { json?: boolean; tenant: string }
type Wanted = Listed & { name: string; scope: string[]; step: string[]; connection: string[]; set?: string; expires?: string }

/** `toolyard tokens` */
export const listTokens = async (client: Client, terminal: Terminal, { json, tenant }: Listed): Promise<number> => {
  try {
    const all = await client.operator.tokens(tenant)
    const rows = all.map(({ id, last4, scopes, steps, connections, toolSet, revokedAt, expiresAt, name }) => [
      id,
      `…${last4}`,
      revokedAt ? 'revoked' : (expiresAt?.slice(0, 10) ?? 'no expiry'),
      scopes.join(' '),
      [...(steps ? [`${steps.length} steps`] : []), ...(connections ? [`${connections.length} connections`] : []), ...(toolSet ? [`set ${toolSet}`] : [])].join(
        ', ',
      ) || 'all',
      name,
    ])
    terminal.out(json ? `${JSON.stringify(all)}\n` : `${table(['token', 'ends in', 'expires', 'scopes', 'restricted to', 'name'], rows, terminal.width)}\n`)
    return 0
  } finally {
    await client.close()
  }
}

const readScopes = (given: string[]): Scope[] => {
  const wrong = given.find((scope) => !allScopes.includes(scope as Scope))
  if (wrong !== undefined) throw failField('scope', `"${wrong}" is not a scope. Scopes: ${allScopes.join(', ')}.`)
  return given as Scope[]
}

const readEnd = (text: string): number => {
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw failField('expires', `"${text}" is not a time. Give one like 2027-06-30 or 2027-06-30T12:00:00Z.`)
  return at
}

/** `toolyard tokens add <name>`: only the text goes to standard output, so that it can be piped. */
export const addToken = async (client: Client, terminal: Terminal, { json, tenant, name, scope, step, connection, set, expires }: Wanted): Promise<number> => {
  try {
    const { text, token } = await client.operator.addToken(tenant, {
      name,
      ...(scope.length > 0 ? { scopes: readScopes(scope) } : {}),
      ...(step.length > 0 ? { steps: step } : {}),
      ...(connection.length > 0 ? { connections: connection } : {}),
      ...(set === undefined ? {} : { toolSet: set }),
      ...(expires === undefined ? {} : { expiresAt: readEnd(expires) }),
    })
    if (json) terminal.out(`${JSON.stringify({ text, token })}\n`)
    else {
      terminal.out(`${text}\n`)
      terminal.err(`Token ${token.id} of ${token.tenant}, for ${token.scopes.join(', ')}. Its text is shown only once.\n`)
    }
    return 0
  } finally {
    await client.close()
  }
}

/** `toolyard tokens revoke <id>` */
export const revokeToken = async (client: Client, terminal: Terminal, { tenant, id, json }: Listed & { id: string }): Promise<number> => {
  try {
    await client.operator.revokeToken(tenant, id)
    terminal.out(json ? `${JSON.stringify({ revoked: id })}\n` : `Token ${id} is revoked.\n`)
    return 0
  } finally {
    await client.close()
  }
}
