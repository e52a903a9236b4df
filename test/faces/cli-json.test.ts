import { describe, expect, it, vi } from 'vitest'
import { withProgress } from '../../shared/faces/cli/progress.ts'
import { failures } from '../../shared/kit/index.ts'
import { openHttpWorld } from '../support/http-world.ts'
import { runLine } from '../support/command-line.ts'

const face = await openHttpWorld()

const command = (...argv: string[]) => runLine(argv, { pack: face.pack })

/** Commands that a person watches, or that print what is no JSON (or is nothing else). */
const without = ['serve', 'dev', 'mcp', 'demo', 'completion', 'openapi', 'help']

/** Every command there is, with its help. */
const commandsBelow = async (path: string[]): Promise<{ path: string[]; help: string }[]> => {
  const { out } = await command(...path, '--help')
  // The commands of the whole stand below several headings.
  const [, part = ''] =
    (path.length === 0 ? /\n {2}-h, --help .*\n\n([^]*?)\n\nSettings/ : /\nCommands:\n([^]*?)(\n\n|$)/).exec(out) ?? []
  const names = [...part.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name]) => name!).filter((name) => name !== 'help')
  const below = await Promise.all(names.map((name) => commandsBelow([...path, name])))
  return [{ path, help: out }, ...below.flat()]
}

describe('--json', () => {
  it('is there for every command that prints something to read, and every command explains itself', async () => {
    const all = (await commandsBelow([])).slice(1)
    expect(all.length).toBeGreaterThan(15)
    for (const { path, help } of all) {
      expect(help, path.join(' ')).toMatch(/^Usage: toolyard .+\n\n\S.{10,}/)
      // A group of commands prints its help and no more.
      const isGroup = help.includes('\nCommands:\n')
      if (!without.includes(path[0]!) && !isGroup) expect(help, path.join(' ')).toContain('--json')
    }
  })

  it.each([
    [['list', '--wat', '--json']],
    [['run', 'work-board', '--json']],
    [['fly', '--json']],
    [['tokens', 'revoke', '--json']],
  ])('tells of a wrong line in JSON: %j', async (argv) => {
    const { code, out, err } = await command(...argv)
    expect([code, out, JSON.parse(err)]).toMatchObject([
      failures.invalid_input.exit,
      '',
      { code: 'invalid_input', message: expect.any(String) },
    ])
    expect(JSON.parse(err).message).not.toMatch(/^error/)
  })

  it('tells of a revoked token', async () => {
    const { token } = await face.pack.tokens.create('default', { name: 'x' })
    expect(JSON.parse((await command('tokens', 'revoke', token.id, '--json')).out)).toEqual({ revoked: token.id })
  })
})

describe('progress', () => {
  it('shows nothing of short work, and of long work how long and how far', async () => {
    vi.useFakeTimers()
    const shown: string[] = []
    const terminal = { status: (text: string) => void shown.push(text) }
    expect(await withProgress(terminal, async () => 'short')).toBe('short')
    expect(shown).toEqual([''])
    const work = withProgress(terminal, async (reportProgress) => {
      await new Promise((done) => setTimeout(done, 2_600))
      reportProgress(100, 250)
      await new Promise((done) => setTimeout(done, 1_000))
      return 'long'
    })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await work).toBe('long')
    expect(shown).toEqual(expect.arrayContaining(['2 s (Ctrl-C cancels)', '3 s, 100 of 250 (Ctrl-C cancels)']))
    expect(shown.at(-1)).toBe('')
    expect(await withProgress({}, async () => 'nobody looks')).toBe('nobody looks')
    vi.useRealTimers()
  })
})
