import { describe, expect, it } from 'vitest'
import { createLog } from '../../shared/faces/http/index.ts'

describe('the log', () => {
  it('writes one JSON object per line and masks what may hold a secret', () => {
    const written: string[] = []
    const log = createLog({ write: (line: string) => void written.push(line) })
    log('warn', 'thing.happened', { runId: 'r1', token: 'canary-1', authorization: 'Bearer canary-2', secret: 'canary-3' })
    log('debug', 'not.shown')
    expect(written).toHaveLength(1)
    const line = JSON.parse(written[0]!)
    expect(line).toMatchObject({ level: 'warn', event: 'thing.happened', runId: 'r1', token: '***', authorization: '***', secret: '***' })
    expect(new Date(line.time).toISOString()).toBe(line.time)
    expect(written[0]).not.toContain('canary')
    expect(written[0]!.endsWith('}\n')).toBe(true)
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
})
