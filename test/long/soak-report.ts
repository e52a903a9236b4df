/** What a soak leaves: its rows for the table of the bench, and a picture. */
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { report } from '../bench/support.ts'
import type { Row } from '../bench/support.ts'
import { chart } from './chart.ts'
import { fullMinutes, minutes, perSecond } from './soak-load.ts'
import type { Sample } from './soak-load.ts'

/** @param megabytes memory and file in MB */
export const draw = (what: string, megabytes: Sample[]): string =>
  chart(
    `${minutes} minutes of ${perSecond.runs} runs, ${perSecond.events} events and ${perSecond.polls} polls a second, ${what}`,
    megabytes,
    [
      { title: 'Memory (resident; heap), MB', lines: ['rss', 'heap'] },
      { title: 'Database with its log, MB', lines: ['file'] },
      { title: 'Open handles', lines: ['handles'] },
      { title: 'p99 of a run; of a delivery, ms', lines: ['runs', 'events'] },
    ],
  )

/** A soak of the full time replaces its rows in the bench and its picture in the docs; a shorter one only prints. */
export const keep = (name: string, rows: Row[], picture: string): void => {
  if (minutes >= fullMinutes) {
    report(name, rows)
    writeFileSync(new URL(`../../docs/pictures/${name}.svg`, import.meta.url), picture)
    return
  }
  for (const { what, value, unit, bound, holds } of rows)
    console.log(`${holds === false ? 'MISSED' : '      '} ${what}: ${value} ${unit} (${bound ?? '-'})`)
  writeFileSync(join(tmpdir(), `toolyard-${name}.svg`), picture)
}
