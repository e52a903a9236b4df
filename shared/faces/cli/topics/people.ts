import { command, paging } from '../declare.ts'
import { shortTime } from '../table.ts'

export const peopleCommands = [
  command(
    {
      usage: 'people',
      about: 'list the end users that calls, tokens and connections have named, with what they used in 30 days',
      options: paging(),
    },
    async ({ call, list }, page) =>
      list(await call('people.listPeople', page), 'Nobody was named yet.', ({ id, connections, usage, createdAt }) => ({
        person: id,
        connections: String(connections.length),
        runs: String(usage.runs),
        credits: String(usage.credits),
        since: shortTime(createdAt),
      })),
  ),
  command(
    {
      usage: 'people show <person>',
      about: 'show one with their connections, budgets and use',
      arguments: { person: "your platform's id of the end user" },
    },
    async ({ call, show }, { person }) => show(await call('people.getPerson', { id: person })),
  ),
]
