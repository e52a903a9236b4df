import { amount, command, paging } from '../declare.ts'
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
      about:
        'limit what a program may spend in a month; its scopes and steps are taken away in the API and the console',
      options: { credits: amount('<credits>', 'at most what it may spend now') },
    },
    async ({ call, say }, { id, credits }) => {
      const grant = await call('grants.narrowGrant', { id, monthlyCredits: credits })
      say(grant, `Grant ${plain(id)} may spend ${grant.monthlyCredits ?? 'any number of'} credits a month.`)
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
