import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Log } from '../../shared/runtime/ports/index.ts'
import { createLog, openLog } from '../../shared/faces/http/log.ts'

describe('the log', () => {
  it('writes one JSON object per line and masks what may hold a secret', () => {
    const written: string[] = []
    const log = createLog({ write: (line: string) => void written.push(line) })
    log('warn', 'thing.happened', {
      runId: 'r1',
      token: 'canary-1',
      authorization: 'Bearer canary-2',
      secret: 'canary-3',
    })
    log('debug', 'not.shown')
    expect(written).toHaveLength(1)
    const line = JSON.parse(written[0]!)
    expect(line).toMatchObject({
      level: 'warn',
      event: 'thing.happened',
      runId: 'r1',
      token: '***',
      authorization: '***',
      secret: '***',
    })
    expect(new Date(line.time).toISOString()).toBe(line.time)
    expect(written[0]).not.toContain('canary')
    expect(written[0]!.endsWith('}\n')).toBe(true)
  })

  it('has no line with a key twice: no field of any call has a name that the line uses itself', async () => {
    const names = ['event', 'level', 'time']
    const files = (await readdir('shared', { recursive: true })).filter((name) => name.endsWith('.ts'))
    const calls = (await Promise.all(files.map((name) => readFile(join('shared', name), 'utf8')))).flatMap((text) => [
      ...text.matchAll(/\blog\(\s*(?:'\w+'|[^,()]+\? '\w+' : '\w+'|level),\s*(?:'[\w.]+'|\w+),\s*\{([^}]*)\}/g),
    ])
    expect(calls.length).toBeGreaterThan(40)
    const repeated = calls.filter(([, fields = '']) =>
      fields.split(',').some((field) => names.includes(field.split(':')[0]!.trim())),
    )
    expect(repeated.map(([call]) => call)).toEqual([])
    // @ts-expect-error: the compiler refuses it too, also where the fields are made elsewhere.
    const refused: Parameters<Log>[2] = { event: 'e1' }
    expect(refused).toBeDefined()
  })

  it('leaves lines out while nobody reads them, and says how many', () => {
    const written: string[] = []
    const slow = { writableLength: 0, write: (line: string) => void written.push(line) }
    const log = createLog(slow)
    log('info', 'first')
    slow.writableLength = 2_000_000
    for (let turn = 0; turn < 1000; turn += 1) log('info', 'lost')
    slow.writableLength = 0
    log('info', 'last')
    expect(written.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'first' },
      { level: 'warn', event: 'log.left_out', lines: 1000 },
      { event: 'last' },
    ])
  })

  it('as text is one readable line per event, redacted like the JSON and without what a terminal would obey', () => {
    const written: string[] = []
    const log = createLog({ write: (line: string) => void written.push(line) }, { format: 'text' })
    log('warn', 'hook.broken', {
      hook: 'h1',
      token: 'canary-1',
      reason: 'The board says "no"\n\u001b[2Jand more',
      none: null,
    })
    log('info', 'request', {
      method: 'POST',
      route: '/v1/x',
      status: 200,
      durationMs: 12,
      request: 'r1',
      by: 'tok_1',
      code: undefined,
    })
    log('error', 'http.defect', { stack: 'Error: gone\n    at here', depth: 2 })
    expect(written.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''))).toEqual([
      'WARN  hook.broken hook=h1 token=*** reason="The board says \\"no\\" [2Jand more"\n',
      'INFO  POST /v1/x 200 12 ms by=tok_1\n',
      'ERROR http.defect depth=2\nError: gone\n    at here\n',
    ])
  })

  it('writes from the chosen level up', () => {
    const written: string[] = []
    const destination = { write: (line: string) => void written.push(line) }
    createLog(destination, { level: 'error' })('warn', 'not.shown')
    createLog(destination, { level: 'debug' })('debug', 'shown')
    expect(written.map((line) => JSON.parse(line).event)).toEqual(['shown'])
  })

  it('on a terminal is text, in colour, without the requests that went well unless a level is chosen', () => {
    const written: string[] = []
    const output = { isTTY: true, hasColors: () => true, write: (line: string) => void written.push(line) }
    const logAll = (log: Log) => {
      log('info', 'store.migrated', { from: 0, to: 32 })
      log('info', 'request', { method: 'GET', route: '/livez', status: 200, durationMs: 1 })
      log('warn', 'request', { method: 'GET', route: '/v1/steps', status: 500, durationMs: 1 })
    }
    logAll(openLog(output, {}))
    logAll(openLog(output, { level: 'info' }))
    const migrated = '\u001b[32mINFO \u001b[39m store.migrated from=0 to=32\n'
    const failed = '\u001b[33mWARN \u001b[39m GET /v1/steps 500 1 ms\n'
    expect(written.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''))).toEqual([
      migrated,
      failed,
      migrated,
      '\u001b[32mINFO \u001b[39m GET /livez 200 1 ms\n',
      failed,
    ])
  })

  it('elsewhere is JSON at once, unless set to text', () => {
    const written: string[] = []
    const output = { write: (line: string) => void written.push(line) }
    openLog(output, {})('info', 'first')
    openLog(output, { format: 'text' })('info', 'second')
    expect([JSON.parse(written[0]!).event, written[1]!.slice(9)]).toEqual(['first', 'INFO  second\n'])
  })
})
