import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeData, toolyard, withDirectory } from './process.ts'

it('toolyard suppressions takes people by hand and by file, and toolyard privacy erases with a receipt', () =>
  withDirectory(async (directory) => {
    const place = { TOOLYARD_DATA: join(directory, 'data') }
    await makeData(place.TOOLYARD_DATA)
    expect((await toolyard(['suppressions'], place)).out).toContain('empty')
    expect(
      (
        await toolyard(
          ['suppressions', 'add', '--email', 'Mai.Tran@example.com.au', '--phone', '+61 491 570 156'],
          place,
        )
      ).out,
    ).toContain('2 added')
    const list = join(directory, 'list.csv')
    const rows = Array.from(
      { length: 1200 },
      (_, index) => `Person ${index},person-${index}@example.com,"https://www.linkedin.com/in/person-${index}"`,
    )
    await writeFile(list, `name,email,profile\n${rows.join('\n')}\nmai.tran@EXAMPLE.com.au;+61491570157\nnobody\n`)
    expect(JSON.parse((await toolyard(['suppressions', 'add', '--file', list, '--json'], place)).out)).toEqual({
      added: 2401,
      present: 1,
      lines: 1203,
      unread: 2,
      unreadLines: [1, 1203],
    })
    expect((await toolyard(['suppressions', 'remove', '--email', 'mai.tran@example.com.au'], place)).out).toContain(
      '1 removed',
    )
    expect((await toolyard(['suppressions', 'add', '--phone', '0491 570 156'], place)).err).toContain('country')
    expect((await toolyard(['suppressions', 'add', '--file', join(directory, 'none.csv')], place)).err).toContain(
      'cannot be read',
    )
    expect((await toolyard(['privacy', 'erase'], place)).err).toContain('--email')
    const erased = await toolyard(['privacy', 'erase', '--email', 'mai.tran@example.com.au', '--suppress'], place)
    expect(erased.out).toMatch(/Receipt era_.*nothing was stored/)
    expect(
      JSON.parse((await toolyard(['privacy', 'export', '--email', 'mai.tran@example.com.au'], place)).out),
    ).toMatchObject({
      records: [],
      suppressed: true,
    })
  }))
