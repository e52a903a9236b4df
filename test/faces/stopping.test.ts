import { spawn } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import { entry, withDirectory } from './process.ts'

it(
  'a server whose log nobody reads goes on answering, and ends all the same',
  () =>
    withDirectory(async (directory) => {
      const env = {
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TOOLYARD_'))),
        TOOLYARD_DATA: directory,
        TOOLYARD_PORT: '0',
      }
      const child = spawn(process.execPath, [entry, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      const ended = new Promise<number | null>((done) => child.once('exit', done))
      onTestFinished(() => void child.kill('SIGKILL'))
      let out = ''
      const address = await new Promise<string>((done) => {
        child.stdout.setEncoding('utf8').on('data', (part: string) => {
          out += part
          if (out.includes('curl ')) done(/Address +(\S+)/.exec(out)![1]!)
        })
      })
      // Far more lines than a pipe holds.
      for (let turn = 0; turn < 40; turn += 1) {
        const answers = await Promise.all(
          Array.from({ length: 50 }, async () => (await fetch(`${address}/livez`)).status),
        )
        expect(answers.every((status) => status === 200)).toBe(true)
      }
      child.kill('SIGTERM')
      expect(await ended).toBe(0)
      child.stderr.destroy()
    }),
  60_000,
)
