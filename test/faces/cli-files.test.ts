import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bytesOf } from '../files/world.ts'
import { makeData, toolyard, withDirectory } from './process.ts'

it('toolyard files stores, lists, saves and removes', () =>
  withDirectory(async (directory) => {
    const place = { TOOLYARD_DATA: join(directory, 'data') }
    const path = join(directory, 'Grüße.bin')
    await writeFile(path, bytesOf(300_000))
    await makeData(place.TOOLYARD_DATA)
    const added = await toolyard(['files', 'add', path], place)
    expect(added).toMatchObject({ code: 0, out: expect.stringMatching(/^fil_/) })
    const id = added.out.trim()
    expect((await toolyard(['files'], place)).out).toContain('Grüße.bin')
    const copy = join(directory, 'copy.bin')
    expect(await toolyard(['files', 'save', id, copy], place)).toMatchObject({ code: 0 })
    expect((await readFile(copy)).equals(bytesOf(300_000))).toBe(true)
    expect((await toolyard(['files', 'save', id, copy], place)).err).toContain('already exists')
    expect(await toolyard(['files', 'remove', id], place)).toMatchObject({ code: 0 })
    expect(await toolyard(['files', 'save', id, join(directory, 'none')], place)).toMatchObject({ code: 5 })
    expect((await toolyard(['files', 'add', directory], place)).err).toContain('There is no file')
  }))
