import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fileOf, table } from '../../scripts/docs.ts'
import { instructionsIn, judge, judgeCounts, medianInterval, sentenceOf } from '../bench/comparison.ts'
import type { Counts } from '../bench/comparison.ts'
import { ledgerTable, measuredSince, readLedgers } from '../bench/ledger.ts'
import type { Ledger } from '../bench/ledger.ts'

const around = (ratio: number, step: number, count = 15) =>
  Array.from({ length: count }, (_, at) => ratio + (at - (count - 1) / 2) * step)

describe('the interval of paired rounds', () => {
  it('lies between the fourth and the twelfth of fifteen: 96.5 % by the sign test', () => {
    const ratios = [11, 3, 7, 15, 1, 5, 9, 13, 2, 4, 6, 8, 10, 12, 14]
    expect(medianInterval(ratios)).toEqual({ median: 8, low: 4, high: 12 })
    expect(medianInterval(around(1, 0.01, 20))).toMatchObject({
      low: expect.closeTo(0.955),
      high: expect.closeTo(1.045),
    })
  })

  it('is refused for fewer', () => {
    expect(() => medianInterval(around(1, 0.01, 14))).toThrow('14 pairs are too few')
  })

  it('is not moved by one round that the machine disturbed', () => {
    expect(judge('a step', [...around(1, 0.002, 14), 40])).toMatchObject({ isSlower: false })
  })
})

describe('the verdict over a row', () => {
  it('is slower when the whole interval lies above 1.03, and names the row', () => {
    const slower = judge('a step', around(1.1, 0.01))
    expect(slower.isSlower).toBe(true)
    expect(sentenceOf(slower)).toBe('SLOWER  a step: 1.100 x (95 % interval 1.060 to 1.140)')
  })

  it('is not slower when a part of the interval lies below', () => {
    expect(judge('a step', around(1.06, 0.01)).isSlower).toBe(false)
    expect(judge('a step', around(1.03, 0)).isSlower).toBe(false)
    expect(judge('a step', around(0.5, 0.01)).isSlower).toBe(false)
  })
})

describe('instructions', () => {
  const kept: Counts & { version: string } = {
    version: '1.0.0',
    node: 'v24.21.0',
    arch: 'x64',
    valgrind: 'valgrind-3.19.0',
    instructions: { 'a step': 1000, 'a delivery': 2000 },
  }
  const withStep = (count: number) => ({ ...kept, instructions: { ...kept.instructions, 'a step': count } })

  it('are read from a dump of callgrind', () => {
    expect(instructionsIn('# callgrind format\nevents: Ir\nsummary: 368405138\n\ntotals: 368405138\n')).toBe(
      368_405_138,
    )
    expect(() => instructionsIn('events: Ir\n')).toThrow('no line "summary"')
  })

  it('are red from 5 % more, and the row is named', () => {
    expect(judgeCounts(withStep(1049), kept).isRed).toBe(false)
    const { lines, isRed } = judgeCounts(withStep(1050), kept)
    expect(isRed).toBe(true)
    expect(lines).toEqual([
      'MORE    a step: 1050 instructions, 1.050 x those of 1.0.0',
      '        a delivery: 2000 instructions, 1.000 x those of 1.0.0',
    ])
  })

  it.each([
    ['node', 'v24.22.0'],
    ['arch', 'arm64'],
    ['valgrind', 'valgrind-3.24.0'],
  ])('are not compared with those of another %s', (what, value) => {
    const { lines, isRed } = judgeCounts({ ...withStep(9000), [what]: value }, kept)
    expect(isRed).toBe(false)
    expect(lines).toEqual([`not measured: 1.0.0 was counted with ${what} ${kept[what as 'node']}, this is ${value}`])
  })

  it('are not compared when no release has kept any', () => {
    expect(judgeCounts(kept, undefined)).toEqual({
      lines: ['not measured: no release has kept its instructions'],
      isRed: false,
    })
  })
})

describe('the ledger', () => {
  const ledgers = readLedgers()

  it('has a file of each release in the changelog', () => {
    const changelog = readFileSync(fileOf('CHANGELOG.md'), 'utf8')
    const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, version]) => version)
    expect(ledgers.map(({ version }) => version).toReversed()).toEqual(released)
    for (const { rows } of ledgers) expect(rows.length).toBeGreaterThan(20)
  })

  it('is shown in the page of benchmarks', () => {
    const { head, rows } = ledgerTable(ledgers)
    expect(readFileSync(fileOf('docs/benchmarks.md'), 'utf8').includes(table(head, rows))).toBe(true)
  })

  it('shows what two releases have measured, and keeps rows of the same words apart', () => {
    const row = (what: string, value: number, bound: string | null = '<= 2') => ({
      bench: 'step',
      what,
      value,
      unit: 'x',
      bound,
      holds: true,
    })
    const ledger = (version: string, rows: Ledger['rows']) => ({ version, date: '2026-01-01', node: 'v24.21.0', rows })
    const former = ledger('0.9.0', [row('a step', 1), row('the same', 1.1), row('the same', 1.2)])
    const present = {
      ...ledger('0.10.0', [row('a step', 1.5), row('the same', 1.6), row('the same', 1.7), row('new', 1)]),
      counts: { node: 'v24.21.0', arch: 'x64', valgrind: 'valgrind-3.19.0', instructions: { step: 1_234_567 } },
    }
    expect(ledgerTable([former, present])).toEqual({
      head: ['What', '0.9.0', '0.10.0'],
      rows: [
        ['a step', '1 x', '1.5 x'],
        ['the same', '1.1 x', '1.6 x'],
        ['the same', '1.2 x', '1.7 x'],
        ['instructions of a step', '-', '1,234,567'],
      ],
    })
  })

  it('keeps no bench that has not run since the release before', () => {
    const row = (bench: string, value: number) => ({ bench, what: 'a row', value, unit: 'x', bound: null, holds: true })
    const former = { rows: [row('wire', 1.05), row('step', 1.2)] }
    const present = [row('wire', 1.05), row('step', 1.21), row('store', 1)]
    expect(measuredSince(present, former).map(({ bench }) => bench)).toEqual(['step', 'store'])
    expect(measuredSince(present, undefined)).toEqual(present)
  })
})
