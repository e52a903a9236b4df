import { expect, it } from 'vitest'
import { start, withDirectory } from './process.ts'

it('a server that logs as JSON says where it listens in a line of its log, and nothing on standard output', () =>
  withDirectory(async (directory) => {
    const token = 'a-token-of-the-operator'
    for (const [env, tokenFrom] of [
      [{}, `${directory}/sandbox/token`],
      [{ TOOLYARD_TOKEN: token }, 'TOOLYARD_TOKEN'],
    ] as const) {
      const server = start(['serve', '--sandbox'], {
        TOOLYARD_DATA: directory,
        TOOLYARD_PORT: '0',
        TOOLYARD_LOG: 'json',
        ...env,
      })
      await expect.poll(() => server.err(), { timeout: 30_000 }).toContain('"event":"serving"')
      server.kill('SIGTERM')
      const { code, out, err } = await server.ended
      expect([code, out]).toEqual([0, ''])
      const lines = err
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
      const { address, console: page, ...otherFields } = lines.find(({ event }) => event === 'serving')!
      expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      expect(page).toBe(`${String(address)}/console/`)
      expect(otherFields).toMatchObject({
        level: 'info',
        version: expect.any(String),
        tokenFrom,
        sandbox: expect.stringMatching(/^http:/),
      })
      expect(err).not.toContain(token)
    }
  }))
