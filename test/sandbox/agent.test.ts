import { afterEach, expect, it } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'

const tenant = { tenant: 'default' }
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

const attach = async (loopbackAgents: boolean) => {
  const sandbox = await startSandbox()
  closers.push(() => sandbox.close())
  const pack = await createPack({
    wire: sandbox.wire,
    egress: { loopbackAgents, ownOrigins: sandbox.places.map(({ origin }) => origin) },
  })
  closers.push(() => pack.close())
  const { app, ...account } = sandbox.accounts[0]!
  await pack.apps.put(tenant, account.integration, app!)
  await pack.connections.create(tenant, account)
  const boards = [sandbox.board.control.overview()[0]!.id]
  const to = (url: string) =>
    pack.subscriptions.create(tenant, {
      integration: account.integration,
      trigger: 'card-moved',
      config: { boards },
      agent: { url },
      options: { delivery: 'poll' },
    })
  return { to, url: sandbox.agent.url, board: sandbox.board.origin }
}

it('the example agent can be attached where agents may be on this machine, and its neighbours never', async () => {
  const { to, url, board } = await attach(true)
  expect((await to(url)).agent.url).toBe(url)
  await expect(to(`${board}/agent`)).rejects.toMatchObject({ code: 'not_allowed' })
})

it('and nowhere else', async () => {
  const { to, url } = await attach(false)
  await expect(to(url)).rejects.toMatchObject({ code: 'not_allowed' })
})
