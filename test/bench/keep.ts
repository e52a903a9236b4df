/**
 * `npm run bench -- keep`: keeps the rows that the benches wrote last, with the instructions counted now, for the
 * release of `package.json`, and writes the table of releases in docs/benchmarks.md.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileOf, table, withPart } from '../../scripts/docs.ts'
import { countPresent } from './instructions.ts'
import { ledgerTable, measuredSince, presentRows, readLedgers, writeLedger } from './ledger.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}
const counts = await countPresent()
if (!counts) console.log('Instructions were not counted: valgrind is missing.')
const date = new Date().toISOString().slice(0, 10)
const rows = measuredSince(
  presentRows(),
  readLedgers().findLast((ledger) => ledger.version !== version),
)
writeLedger({ version, date, node: process.version, rows, ...(counts ? { counts } : {}) })
const page = fileOf('docs/benchmarks.md')
const { head, rows: lines } = ledgerTable(readLedgers())
writeFileSync(page, withPart(readFileSync(page, 'utf8'), 'ledger', table(head, lines)))
console.log(
  `Kept for ${version}: ${rows.length} rows of ${presentRows().length}; the others have not been measured again.`,
)
