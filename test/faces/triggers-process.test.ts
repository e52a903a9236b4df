import { describe, expect, it } from 'vitest'
import { startAgent, until } from '../support/agent-world.ts'
import { start, toolyard, withDirectory } from './process.ts'

const serve = async (directory: string) => {
  const server = start(['serve', '--sandbox'], { TOOLYARD_PORT: '0', TOOLYARD_DATA: directory })
  await server.printed('_control/comment')
  const [, address] = /Address +(\S+)/.exec(server.out())!
  const [, comment, body] = /^curl -s -X POST (\S+_control\/comment) -d '(.*)'$/m.exec(server.out())!
  return {
    server,
    address: address!,
    subscribe: /^.+ (subscribe work-board new-comment-added-to-card -f boards=\S+ --watch)$/m
      .exec(server.out())![1]!
      .split(' '),
    async comment() {
      expect((await fetch(comment!, { method: 'POST', body: body! })).status).toBe(200)
    },
    async stop(signal: NodeJS.Signals) {
      server.kill(signal)
      return server.ended
    },
  }
}
type Served = Awaited<ReturnType<typeof serve>>
const kill = (served: Served | undefined) => served?.stop('SIGKILL')

/** Above all waiting in a test, so that what it started is ended by itself. */
const longest = 200_000

describe('a server with the sandbox', () => {
  it(
    'prints what attaches a trigger and what makes it fire, and both work as printed',
    () =>
      withDirectory(async (directory) => {
        const served = await serve(directory)
        const env = { TOOLYARD_DATA: directory }
        const watchers = [start(served.subscribe, env), start(served.subscribe, env)]
        try {
          for (const watching of watchers)
            await until('it to be attached', () => watching.err().includes('Waiting'), 40_000)
          await served.comment()
          // Both printed lines can be repeated.
          for (const watching of watchers)
            await until('its line', () => watching.out().split('\n').length === 2, 40_000)
          await served.comment()
          for (const watching of watchers)
            await until('its second line', () => watching.out().split('\n').length === 3, 40_000)
          // Whatever ends the command detaches: Ctrl-C, which npm passes on a second time, and what a service manager
          // sends.
          const [byHand, byManager] = watchers
          byHand!.kill('SIGINT')
          byHand!.kill('SIGINT')
          byManager!.kill('SIGTERM')
          for (const watching of watchers) {
            const { code, out, err } = await watching.ended
            expect([code, out]).toEqual([
              0,
              expect.stringMatching(
                /^(\S+ .+ commented on .+ {2}\(New Comment Added to Card, webhook, start \w+…\)\n){2}$/,
              ),
            ])
            expect(err).toMatch(/Detached after 2 starts\.\n$/)
          }
          expect(JSON.parse((await toolyard(['subscriptions', '--json'], env)).out).items).toEqual([])
          // A terminal that is closed ends a server as cleanly as Ctrl-C.
          const ended = await served.stop('SIGHUP')
          expect([ended.code, ended.err]).toEqual([0, expect.stringContaining('"stopped"')])
        } finally {
          for (const watching of watchers) watching.kill('SIGKILL')
          await kill(served)
        }
      }),
    longest,
  )

  it(
    'killed and started anew at another address, it has its webhooks back and goes on',
    () =>
      withDirectory(async (directory) => {
        const agent = await startAgent()
        const env = { TOOLYARD_DATA: directory }
        const json = async (...line: string[]) => JSON.parse((await toolyard([...line, '--json'], env)).out)
        let served: Served | undefined
        try {
          served = await serve(directory)
          const made = await json(
            ...served.subscribe.filter((word) => word !== '--watch'),
            '--agent',
            `${agent.origin}/remarks`,
          )
          agent.secrets.set('/remarks', made.agent.secret)
          await served.stop('SIGKILL')
          served = await serve(directory)
          await until(
            'the webhook',
            async () =>
              (await json('hooks')).items.some(
                ({ state, callbackUrl }: Record<string, string>) =>
                  state === 'active' && callbackUrl!.startsWith(served!.address),
              ),
            60_000,
          )
          expect(await json('subscriptions', 'show', made.id)).toMatchObject({
            state: 'active',
            connection: made.connection,
          })
          await served.comment()
          await until('the start', () => agent.taken.length === 1, 40_000)
          expect(agent.taken[0]).toMatchObject({
            genuine: true,
            start: { data: { subscription: made.id, via: 'webhook' } },
          })
          // Nothing of the sandbox's past counts as new.
          expect((await json('starts')).items).toHaveLength(1)
        } finally {
          await kill(served)
          await agent.close()
        }
      }),
    longest,
  )
})
