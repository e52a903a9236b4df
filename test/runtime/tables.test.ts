import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { guardCell, unguardCell } from '../../shared/runtime/csv-cells.ts'
import { openTable } from '../../shared/runtime/tables/open-table.ts'
import type { TableOptions } from '../../shared/runtime/tables/open-table.ts'
import type { AddedCell } from '../../shared/runtime/tables/table.ts'

const contentOf = (text: string | Buffer) =>
  async function* () {
    // In pieces that cut characters and quotes apart.
    const bytes = Buffer.from(text as string)
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7)
  }
const open = (text: string | Buffer, name = 'people.csv', options: TableOptions = {}) =>
  openTable(contentOf(text), name, options)

const added: AddedCell[] = [
  ['toolyard_status', 'match'],
  ['toolyard_credits', 1],
]
const written = async (text: string, more: readonly AddedCell[] = added, name?: string) => {
  const table = await open(text, name)
  let width = table.columns.length
  for await (const row of table.rows()) width = Math.max(width, row.width)
  let result = table.head(
    more.map(([title]) => title),
    width,
  )
  for await (const row of table.rows()) result += row.line(more, width)
  return result
}
const valuesOf = async (text: string, count: number) => {
  const rows: unknown[][] = []
  for await (const row of (await open(text)).rows())
    rows.push(Array.from({ length: count }, (_, column) => row.value(column)))
  return rows
}

describe('formula guard', () => {
  it.each(['=HYPERLINK("https://example.com")', '+61 2 5550 1234', '-1+1', '@SUM(A1)', '\tx', '\rx', '＝1'])(
    'takes the effect of %j away',
    (cell) => {
      expect(guardCell(cell)).toBe(`'${cell}`)
      expect(unguardCell(guardCell(cell))).toBe(cell)
    },
  )

  it('leaves what is harmless, and loses nothing of what looks guarded', () => {
    for (const cell of ['', "O'Brien", "'quoted'", 'a=b', "'", '5']) expect(guardCell(cell)).toBe(cell)
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', 'a') }),
        (cell) => unguardCell(guardCell(cell)) === cell,
      ),
    )
  })
})

describe('CSV', () => {
  it('keeps BOM, line ends, quotes, order, duplicates and unknown columns as they are', async () => {
    const text =
      '\uFEFFId,"E-mail",Note,Note\r\n1,"ana@example.com","he said ""hi""",x\r\n2,bo@example.com,"two\r\nlines",\r\n'
    expect(await written(text)).toBe(
      '\uFEFFId,"E-mail",Note,Note,toolyard_status,toolyard_credits\r\n1,"ana@example.com","he said ""hi""",x,match,1\r\n2,bo@example.com,"two\r\nlines",,match,1\r\n',
    )
  })

  it.each([
    [';', 'a;b\n1;2\n', 'a;b;toolyard_status;toolyard_credits\n1;2;match;1\n'],
    ['\t', 'a\tb\n1\t2\n', 'a\tb\ttoolyard_status\ttoolyard_credits\n1\t2\tmatch\t1\n'],
    ['|', 'a|"b,c;d;e;f"\n1|2', 'a|"b,c;d;e;f"|toolyard_status|toolyard_credits\n1|2|match|1\n'],
  ])('finds the delimiter %j', async (_, text, result) => {
    expect(await written(text)).toBe(result)
  })

  it('puts what is added into its columns, though rows are short or long, and keeps their cells', async () => {
    expect(await written('a,b\n1\n1,2,3\n\n\n4,5\n')).toBe(
      'a,b,,toolyard_status,toolyard_credits\n1,,,match,1\n1,2,3,match,1\n4,5,,match,1\n',
    )
  })

  it('refuses a row with more cells than a table has, and rows that would make all others far longer', async () => {
    const read = async (text: string) => {
      let cells = 0
      for await (const row of (await open(text)).rows()) cells += row.width
      return cells
    }
    const refused = (words: string) => ({ code: 'invalid_input', message: expect.stringContaining(words) as string })
    const wide = refused('Row 2 has 900001 columns; at most 2000')
    await expect(read(`a,b\n1,2\n${','.repeat(900_000)}\n`)).rejects.toMatchObject(wide)
    expect(await read(`a,b\n1,2\n${','.repeat(1_999)}\n`)).toBe(2_002)
    // 60 kB that would become 60 MB.
    const long = `a\n${'1\n'.repeat(100)}${','.repeat(1_999)}\n`
    await expect(read(long + '1\n'.repeat(30_000))).rejects.toMatchObject(refused('Row 101 has 2000 columns'))
    expect(await read(long + '1\n'.repeat(1_000))).toBe(3_100)
  })

  it('finds columns by name, the second of a name by its number', async () => {
    const table = await open('Email,Name,Email,a[2]\n')
    expect(['Email', 'Email[2]', 'a[2]', 'Email[3]', 'Phone'].map((name) => table.find(name))).toEqual([
      0,
      2,
      3,
      undefined,
      undefined,
    ])
  })

  it('does not name two columns alike', async () => {
    expect(await written('a,toolyard_status\n1,x\n')).toContain(
      'a,toolyard_status,toolyard_status_2,toolyard_credits\n',
    )
  })

  it('guards cells of both sides against spreadsheets, and reads them back as they were', async () => {
    const text = 'a,=b\n=1+1,"-2,x"\n\'=kept,+61 2 5550 1234\n'
    const result = await written(text, [['reason', '=HYPERLINK("x")']])
    expect(parse(result)).toEqual([
      ['a', "'=b", 'reason'],
      ["'=1+1", "'-2,x", `'=HYPERLINK("x")`],
      ["'=kept", "'+61 2 5550 1234", `'=HYPERLINK("x")`],
    ])
    expect(await valuesOf(result, 3)).toEqual([
      ['=1+1', '-2,x', '=HYPERLINK("x")'],
      ['=kept', '+61 2 5550 1234', '=HYPERLINK("x")'],
    ])
    expect((await open(result)).columns).toEqual(['a', '=b', 'reason'])
  })

  /**
   * As a spreadsheet reads a line: a quote that begins a cell ends at the next single one, and what follows belongs to
   * the cell.
   */
  const cellsOf = (line: string, separator: string): string[] => {
    const cells = ['']
    let isQuoted = false
    let isFresh = true
    for (let at = 0; at < line.length; at += 1) {
      const letter = line[at]!
      if (isQuoted && letter === '"' && line[at + 1] === '"') cells[cells.length - 1] += line[(at += 1)]!
      else if (isQuoted && letter === '"') isQuoted = false
      else if (isFresh && letter === '"') isQuoted = true
      else if (!isQuoted && letter === separator) cells.push('')
      else cells[cells.length - 1] += letter
      isFresh = !isQuoted && letter === separator
    }
    return cells
  }
  const formulasIn = (text: string) =>
    text
      .trimEnd()
      .split(/[\r\n]+/)
      .flatMap((line) => cellsOf(line, ','))
      .filter((cell) => /^[=+\-@]/.test(cell))

  it.each(['""=HYPERLINK(A1)', '"=1+1" ', '"=1+1"x', '""+1,x', '"" ,""=1', 'x"y,""=1', '"=1+1" ,"-2"'])(
    'writes a row anew whose quotes programs read in different ways: %s',
    async (row) => {
      const text = `a,b\n${row}\n`
      expect(formulasIn(text)).not.toEqual([])
      const result = await written(text)
      expect(formulasIn(result)).toEqual([])
      // What it says stays the same for us.
      expect(await valuesOf(result, 1)).toEqual(await valuesOf(text, 1))
    },
  )

  const cut = ['x;=1+1', 'x\t=1+1', 'x|@SUM(A1)', 'x; +1', "x;'=1", 'x;＝1', 'x;"=1+1"']
  it.each(cut)('quotes a cell that another list separator would cut before a formula: %j', async (cell) => {
    const quoted = `"${cell.replaceAll('"', '""')}"`
    expect(await written(`a,b\n${cell},y\n`)).toBe(`a,b,toolyard_status,toolyard_credits\n${quoted},y,match,1\n`)
    expect(await written(`a,b\n${quoted},y\n`)).toBe(`a,b,toolyard_status,toolyard_credits\n${quoted},y,match,1\n`)
    expect(await written('a\n1\n', [['reason', cell]])).toBe(`a,reason\n1,${quoted}\n`)
  })

  it('leaves separators and quotes as they are where nothing follows from them', async () => {
    for (const row of ['a;b', 'x-1', "5' 10", '"a ""b"" c"', 'a|b;c', '"a"'])
      expect(await written(`a\n${row}\n`)).toContain(`\n${row},match`)
  })

  it('gives any table back after a round, with no cell that a spreadsheet computes', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('=', '+', "'", '"', ',', ';', '\n', '\r', 'x', 'ü', '-', '@', '\t', '|'),
      maxLength: 6,
    })
    const tables = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 5 })
    const asCsv = (rows: string[][]) =>
      rows.map((row) => row.map((cellText) => `"${cellText.replaceAll('"', '""')}"`).join(',')).join('\n')
    await fc.assert(
      fc.asyncProperty(tables, async (rows) => {
        const text = `${asCsv([['a', 'b'], ...rows])}\n`
        const result = await written(text, [['status', 'match']])
        const cells = parse(result, { relax_quotes: true }) as string[][]
        expect(cells.flat().filter((cellText) => /^[=+\-@\t\r\n]/.test(cellText))).toEqual([])
        // What the file holds counts as guarded already where it looks so.
        expect(cells.slice(1).map((row) => row.slice(0, 2).map(unguardCell))).toEqual(
          rows.map((row) => row.map(unguardCell)),
        )
        expect(await valuesOf(result, 2)).toEqual(await valuesOf(text, 2))
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    ['UTF-16', Buffer.from('\uFEFFa,b\n1,2', 'utf16le'), 'UTF-16'],
    ['another encoding', Buffer.from([0x61, 0x2c, 0xe9, 0x0a]), 'not UTF-8'],
    ['a spreadsheet', Buffer.from('PK\u0003\u0004\0\0a'), 'zero bytes'],
    ['nothing', '', 'empty'],
    ['an open quote', `a,b\n1,"x${'y'.repeat(1_100_000)}`, 'not closed'],
  ])('refuses %s with the remedy', async (_, text, words) => {
    const read = async () => {
      for await (const _row of (await open(text)).rows());
    }
    await expect(read()).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(words) as string,
    })
  })

  it('takes a delimiter of the caller, and no letter', async () => {
    expect((await open('a:b,c\n', 'x.csv', { delimiter: ':' })).columns).toEqual(['a', 'b,c'])
    await expect(open('a\n', 'x.csv', { delimiter: 'x' })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ pointer: '/delimiter' }] },
    })
  })
})

describe('JSONL', () => {
  it('adds an object to each row and leaves the rest as it is written', async () => {
    const text =
      '\uFEFF{"email":"ana@example.com","big":12345678901234567890}\r\n\n{}\n {"toolyard":1, "nested":{"a":[1]} } '
    expect(await written(text, added, 'people.jsonl')).toBe(
      '{"email":"ana@example.com","big":12345678901234567890,"toolyard":{"toolyard_status":"match","toolyard_credits":1}}\n' +
        '{"toolyard":{"toolyard_status":"match","toolyard_credits":1}}\n' +
        '{"toolyard":1, "nested":{"a":[1]},"toolyard_2":{"toolyard_status":"match","toolyard_credits":1}}\n',
    )
  })

  it('is found by its beginning where the name says nothing, and a field within a field has a dotted name', async () => {
    const table = await open('{"contact":{"email":"ana@example.com"}}\n', 'people')
    expect([table.format, table.columns, table.find('contact.phone')]).toEqual(['jsonl', ['contact'], undefined])
    const place = table.find('contact.email')!
    for await (const row of table.rows()) expect(row.value(place)).toBe('ana@example.com')
  })

  it('names the line that is no object', async () => {
    await expect(open('{"a":1}\n[1]\n', 'x.jsonl')).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('Line 2') as string,
    })
  })
})
