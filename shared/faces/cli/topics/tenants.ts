import { failField } from '#kit'
import { allScopes } from '../../../pack.ts'
import { command, tenant, text, texts } from '../declare.ts'
import { ifAny } from '../input.ts'
import { personFilter } from '../person-options.ts'
import { table } from '../table.ts'

const readScopes = (names: string[]) =>
  names.map((name) => {
    const scope = allScopes.find((known) => known === name)
    if (scope === undefined) throw failField('scope', `"${name}" is not a scope. Scopes: ${allScopes.join(', ')}.`)
    return scope
  })

const readExpiry = (text: string) => {
  const at = Date.parse(text)
  if (Number.isNaN(at))
    throw failField('expires', `"${text}" is not a time. Give one like 2027-06-30 or 2027-06-30T12:00:00Z.`)
  return new Date(at).toISOString()
}

export const tenantCommands = [
  command(
    {
      usage: 'tenants',
      about: 'list tenants',
    },
    async ({ call, say, terminal }) => {
      const { items } = await call('admin.listTenants', { limit: 200 })
      const rows = items.map(({ id, name, createdAt }) => [id, createdAt.slice(0, 10), name])
      say(items, table(['tenant', 'since', 'name'], rows, terminal.width))
    },
  ),
  command(
    {
      usage: 'tenants add <name>',
      about: 'add a tenant',
      options: { id: text('<id>', 'lower-case letters, digits, "-" and "_"; generated if omitted') },
    },
    async ({ call, say, typed }, { id, name }) => {
      const created = await call('admin.createTenant', { id, name })
      say(
        created,
        `Tenant ${created.id} is created. Create a token for it with: ${typed(`tokens add <name> --tenant ${created.id}`)}`,
      )
    },
  ),
  command(
    {
      usage: 'tokens',
      about: 'list the tokens of a tenant',
      options: { tenant, person: personFilter },
    },
    async ({ call, say, terminal }, { tenant, person }) => {
      const { items } = await call('admin.listTokens', { limit: 200, tenant, person })
      const rows = items.map(
        ({ id, last4, scopes, steps, connections, toolSet, person, revokedAt, expiresAt, name }) => [
          id,
          // A token of somebody who is signed in has no text.
          last4 === '' ? '' : `…${last4}`,
          revokedAt ? 'revoked' : (expiresAt?.slice(0, 10) ?? 'no expiry'),
          scopes.join(' '),
          [
            steps && `${steps.length} steps`,
            connections && `${connections.length} connections`,
            toolSet && `set ${toolSet}`,
            person !== null && `person ${person}`,
          ]
            .filter(Boolean)
            .join(', ') || 'all',
          name,
        ],
      )
      say(items, table(['token', 'ends in', 'expires', 'scopes', 'restricted to', 'name'], rows, terminal.width))
    },
  ),
  command(
    {
      usage: 'tokens add <name>',
      about: 'create a token; its text is shown once',
      options: {
        tenant,
        scope: texts(
          '-s <scope>',
          'run, connections, subscriptions, read, metrics or admin; repeat for more. Default: all except the last two',
        ),
        step: texts('<integration/step>', 'restrict it to this step; repeat for more'),
        connection: texts('-c <id>', 'restrict it to this connection; repeat for more'),
        set: text('<name>', 'restrict it to the steps of this tool set, such as core'),
        person: text('<id>', "it acts for this end user alone, by your platform's id"),
        expires: text('<time>', 'expiry time'),
      },
    },
    async ({ call, say, note }, { tenant, name, scope, step, connection, set, person, expires }) => {
      const created = await call('admin.createToken', {
        tenant,
        name,
        scopes: ifAny(readScopes(scope)),
        steps: ifAny(step),
        connections: ifAny(connection),
        toolSet: set,
        person,
        expiresAt: expires === undefined ? undefined : readExpiry(expires),
      })
      // Only the text goes to standard output, so that it can be piped.
      say(created, created.text)
      note(
        `Token ${created.token.id} of ${created.token.tenant}, for ${created.token.scopes.join(', ')}. Its text is shown only once.`,
      )
    },
  ),
  command(
    {
      usage: 'tokens revoke <id>',
      about: 'revoke a token immediately',
      options: { tenant },
    },
    async ({ call, say }, { id, tenant }) => {
      await call('admin.revokeToken', { id, tenant })
      say({ revoked: id }, `Token ${id} is revoked.`)
    },
  ),
]
