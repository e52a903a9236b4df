import { amount, command, paging, texts } from '../declare.ts'
import { personColumn, personFilter } from '../person-options.ts'
import { plain, shortTime } from '../table.ts'

export const grantCommands = [
  command(
    {
      usage: 'grants',
      about: 'list the programs that people let in, and when they were last used',
      options: { ...paging(), person: personFilter },
    },
    async ({ call, list }, page) => {
      const grants = await call('grants.listGrants', page)
      const ofPerson = personColumn(grants.items)
      return list(grants, 'Nobody let a program in yet.', (grant) => ({
        grant: grant.id,
        program: grant.client.host ?? grant.client.name ?? grant.client.id,
        verified: grant.client.host === null ? 'no' : 'yes',
        may: grant.scopes.join(' '),
        at: grant.resource,
        ...ofPerson(grant),
        'last used': shortTime(grant.lastUsedAt),
      }))
    },
  ),
  command(
    { usage: 'grants show <id>', about: 'show one with its steps, connections and limit' },
    async ({ call, show }, { id }) => show(await call('grants.getGrant', { id })),
  ),
  command(
    {
      usage: 'grants narrow <id>',
      about: 'leave a program less, at once; what is not named stays. To add something, it signs in again',
      options: {
        scope: texts('<scope>', 'keep only this of its scopes, can be repeated'),
        step: texts('<integration/step>', 'keep only this of its steps, can be repeated'),
        connection: texts('-c <id>', 'keep only this of its connections, can be repeated'),
        credits: amount('<credits>', 'at most what it may spend in a month'),
      },
    },
    async ({ call, say }, { id, scope, step, connection, credits }) => {
      // What is not named stays as it is.
      const named = (names: string[]) => (names.length === 0 ? undefined : names)
      const grant = await call('grants.narrowGrant', {
        id,
        scopes: named(scope),
        steps: named(step),
        connections: named(connection),
        monthlyCredits: credits,
      })
      const count = (names: string[] | null, what: string) => `${names?.length ?? 'all'} ${what}`
      say(
        grant,
        `Grant ${plain(id)} is left with ${grant.scopes.join(' ')}, ${count(grant.steps, 'steps')}, ${count(grant.connections, 'connections')} and ${grant.monthlyCredits ?? 'any number of'} credits a month.`,
      )
    },
  ),
  command(
    { usage: 'grants end <id>', about: 'end one: its tokens are refused at once' },
    async ({ call, say }, { id }) => {
      await call('grants.endGrant', { id })
      say({ ended: id }, `Grant ${plain(id)} has ended.`)
    },
  ),
]
