import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { start, toolyard, withDirectory } from './process.ts'

const starter = fileURLToPath(new URL('../../scripts/starter', import.meta.url))

it('env prints lines that a shell evaluates: address, token, and where the sandbox listens', () =>
  withDirectory(async (directory) => {
    const data = { TOOLYARD_DATA: directory }
    expect(await toolyard(['env'], data)).toEqual({
      code: 5,
      out: '',
      err: expect.stringMatching(/^toolyard: No server is running on .+ Run this command where .+ or start one with: /),
    })
    const server = start(['serve', '--sandbox'], { ...data, TOOLYARD_PORT: '0' })
    try {
      await server.printed('Try:')
      const { out, err } = await toolyard(['env'], data)
      expect([out.split('\n')[0], err]).toEqual([
        expect.stringMatching(/^export TOOLYARD_URL=http:\/\/127\.0\.0\.1:\d+ TOOLYARD_TOKEN=ty_[\w-]+$/),
        '',
      ])
      const called = [
        'curl -s $TOOLYARD_URL/v1/server -H "Authorization: Bearer $TOOLYARD_TOKEN"',
        'curl -s -o /dev/null -w " %{http_code}" $SANDBOX_WORK_BOARD/',
      ]
      const script = `eval '${out.replaceAll("'", `'\\''`)}'; ${called.join('; ')}`
      const { stdout } = await promisify(execFile)('sh', ['-c', script], { env: { PATH: process.env['PATH'] } })
      expect(stdout).toMatch(/"sandbox":\{"places".* 200$/)
    } finally {
      server.kill('SIGKILL')
      await server.ended
    }
  }))

it('dev takes the next free port where its own is in use, and says so', () =>
  withDirectory(async (directory) => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((done) => other.once('listening', done))
    const { port } = other.address() as AddressInfo
    const env = { TOOLYARD_DATA: directory, TOOLYARD_PORT: String(port) }
    const server = start(['dev', starter], env)
    try {
      await server.printed('Try:')
      expect(server.err()).toMatch(new RegExp(`Port ${port} is in use by another program; this server uses \\d+\\.`))
      const address = /Address +(\S+)/.exec(server.out())![1]!
      expect((await fetch(`${address}/livez`)).status).toBe(200)
    } finally {
      server.kill('SIGKILL')
      await server.ended
      other.close()
    }
  }))
