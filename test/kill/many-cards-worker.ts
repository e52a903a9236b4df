/** Child of the kill test: moves cards in one run under a key, and is killed in the middle. */
import { createPack, openSqliteStore } from '../../shared/pack.ts'

export type Asked = { idCards: string[]; idList: string; key: string }
export type Told = { ready: true } | { progress: number } | { ended: unknown }

const [directory, wire, secrets] = process.argv.slice(2) as [string, string, string]
const caller = { tenant: 'default' }
const tell = (message: Told) => process.send!(message)
const board = JSON.parse(wire) as { baseUrl: string }

const pack = await createPack({
  store: await openSqliteStore({ directory, now: Date.now }),
  masterKey: Buffer.alloc(32, 6),
  wire: { 'work-board': board },
  egress: { privateOrigins: [board.baseUrl] },
})
if ((await pack.connections.list(caller)).length === 0)
  await pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name: 'Board',
    secrets: JSON.parse(secrets) as Record<string, string>,
  })

process.on('message', ({ idCards, idList, key }: Asked) => {
  void pack.steps
    .run(caller, {
      integration: 'work-board',
      step: 'move-cards',
      input: { idCards, idList },
      idempotencyKey: key,
      onProgress: (progress) => tell({ progress }),
    })
    .then((outcome) => tell({ ended: outcome }))
})
tell({ ready: true })
