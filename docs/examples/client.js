// Runs a step for one person and prints what came of it: node client.mjs person-3
import { createClient } from 'toolyard/client'

const client = createClient({ address: process.env.TOOLYARD_URL, token: process.env.TOOLYARD_TOKEN })

const outcome = await client.run({
  integration: 'work-board',
  step: 'get-boards',
  person: process.argv[2],
  input: { lists: 'open' },
})
if (outcome.ok) for (const board of outcome.value.boards) console.log(board.name)
else console.log(`${outcome.failure.code}: ${outcome.failure.message}`)

const usage = await client.call('getUsage', { by: 'person' })
if (usage.ok) console.log(usage.value.totals)
