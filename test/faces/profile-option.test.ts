import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { start, toolyard, withDirectory } from './process.ts'

const serving = async <T>(
  directory: string,
  args: string[],
  work: (out: string, ask: (step: string, input: unknown) => Promise<any>) => Promise<T>,
) => {
  const server = start(['serve', '--sandbox', ...args], { TOOLYARD_PORT: '0', TOOLYARD_DATA: directory })
  try {
    await server.printed('Attach a trigger')
    const address = /Address +(\S+)/.exec(server.out())![1]!
    const token = (await readFile(join(directory, 'sandbox', 'token'), 'utf8')).trim()
    const ask = async (step: string, input: unknown) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      return (
        await fetch(`${address}/v1/steps/${step}/run`, { method: 'POST', headers, body: JSON.stringify({ input }) })
      ).json()
    }
    return await work(server.out(), ask)
  } finally {
    server.kill('SIGTERM')
    await server.ended
  }
}

/** Input of the printed example of a step. */
const printedInput = (out: string, step: string) =>
  JSON.parse(new RegExp(`${step}/run .* -d '(.*)'`).exec(out)![1]!).input as unknown

it('serve --sandbox --profile: pack, sandbox, greeting and examples speak it, and another one at the next start on the same data', () =>
  withDirectory(async (directory) => {
    await serving(
      directory,
      ['--profile', 'contact-data=people-data-labs', '--profile', 'anz-data=firmable'],
      async (out, ask) => {
        expect(out).toMatch(/Sandbox ANZ +\S+ \(profile firmable; /)
        expect(out).toMatch(/Sandbox contacts +\S+ \(profile people-data-labs; /)
        expect(out).toContain('Look somebody up, as firmable answers:')
        const person = await ask('anz-data/people-enrichment', printedInput(out, 'anz-data/people-enrichment'))
        expect(person.output).toMatchObject({ matched: true, record: { id: expect.stringMatching(/^fp\d{12}$/) } })
        expect(
          (await ask('contact-data/find-contact', printedInput(out, 'contact-data/find-contact'))).output.matched,
        ).toBe(true)
      },
    )
    await serving(directory, ['--profile', 'contact-data=hunter'], async (out, ask) => {
      expect(out).toMatch(/Sandbox contacts +\S+ \(profile hunter; /)
      expect(out).not.toContain('firmable')
      expect(
        (await ask('contact-data/find-contact', printedInput(out, 'contact-data/find-contact'))).output.matched,
      ).toBe(true)
      expect((await ask('anz-data/people-enrichment', { linkedinSlug: 'mirrin-alcott-35s' })).output.matched).toBe(true)
    })
    await serving(directory, [], async (out, ask) => {
      expect(out).not.toMatch(/profile|Look somebody up/)
      expect(
        (await ask('contact-data/find-contact', { email: 'mirrin.alcott@wattlebird-freight.example' })).output.matched,
      ).toBe(true)
    })
  }))

it('serve --profile refuses a name that no profile has before anything is made', () =>
  withDirectory(async (directory) => {
    for (const args of [['contact-data=nosuch'], ['work-board=x']]) {
      const { code, out, err } = await toolyard(['serve', '--sandbox', '--profile', ...args], {
        TOOLYARD_DATA: join(directory, 'data'),
        TOOLYARD_PORT: '0',
      })
      expect([code === 0, out]).toEqual([false, ''])
      expect(err).toMatch(
        /contact-data has no profile "nosuch".*Its profiles: documented, |which the sandbox does not speak. It speaks .*contact-data: documented, /,
      )
    }
    await expect(readFile(join(directory, 'data', 'sandbox', 'token'))).rejects.toMatchObject({ code: 'ENOENT' })
  }))
