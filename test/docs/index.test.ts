import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readIndex } from '../../scripts/docs-index.ts'
import { anchorsOf, pages, read, root } from './pages.ts'

const sections = readIndex(read('docs/README.md'))
const listed = sections.flatMap((section) => section.pages.map((page) => ({ ...page, section: section.title })))

describe('the index of the documents', () => {
  it('lists every page once, under its title, in the order in which people need them', () => {
    expect(sections.map(({ title }) => title)).toEqual([
      'Install',
      'First step',
      'Connect',
      'Trigger',
      'People and approvals',
      'Operate',
      'Embed and extend',
      'Reference',
    ])
    const expected = pages.filter((page) => !['docs/README.md', 'manifests/README.md'].includes(page))
    expect(listed.map(({ path }) => path).toSorted()).toEqual(expected.toSorted())
    expect(listed.map(({ title, path }) => [path, title])).toEqual(
      listed.map(({ path }) => [path, /^# (.+)$/m.exec(read(path))?.[1]]),
    )
  })

  it('says in one sentence what each page is for', () => {
    for (const { path, sentence } of listed) {
      expect(sentence.length, path).toBeLessThanOrEqual(160)
      expect(sentence.replaceAll(/\b\d\.\d/g, '').match(/\./g), path).toHaveLength(1)
    }
  })

  it('refuses an entry without a sentence', () => {
    expect(() => readIndex('## Install\n\n- [Steps](steps.md)\n')).toThrow('one sentence')
  })
})

const reference = listed.flatMap(({ section, path }) => (section === 'Reference' ? [path] : []))

describe('the length of', () => {
  it.each(pages.filter((page) => page.startsWith('docs/') && !reference.includes(page)))(
    '%s is at most 2,500 words',
    (page) => {
      expect(read(page).split(/\s+/).length).toBeLessThanOrEqual(2500)
    },
  )

  it('a line is at most 650 characters, so that tables can be read', () => {
    const long = pages.flatMap((page) =>
      read(page)
        .split('\n')
        .flatMap((line, at) => (line.length > 650 ? [`${page}:${at + 1}: ${line.length} characters`] : [])),
    )
    expect(long).toEqual([])
  })
})

describe('llms.txt', () => {
  it('names every page of the index, with its sentence', () => {
    const text = read('docs/llms.txt')
    expect(text).toMatch(/^# toolyard\n\n> .+\n\n## Install\n/)
    expect([...text.matchAll(/^- \[.+\]\(.+\): (.+)$/gm)].map(([, sentence]) => sentence)).toEqual(
      listed.map(({ sentence }) => sentence),
    )
  })
})

describe('llms-full.txt', () => {
  it('has every page of the index in its order, and stays out of the package', () => {
    const text = read('docs/llms-full.txt')
    expect([...text.matchAll(/^<!-- (\S+\.md) -->$/gm)].map(([, path]) => path)).toEqual(listed.map(({ path }) => path))
    for (const { title } of listed) expect(text).toContain(`\n\n# ${title}\n`)
    expect((JSON.parse(read('package.json')) as { files: string[] }).files).toContain('!docs/llms-full.txt')
  })
})

describe('the pages', () => {
  it('that code and configuration name exist, and so do their headings', () => {
    const files = ['shared', 'scripts', 'integrations', 'test']
      .flatMap((folder) =>
        readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
      )
      .filter((file) => /\.(ts|tsx|css|js)$/.test(file) && !file.includes('node_modules'))
    const broken = files.flatMap((file) =>
      [
        ...read(file).matchAll(/(?:toolyard\/blob\/main\/|(?<![\w./-]))(docs\/[a-z/-]+\.md)(?:#([a-z0-9-]+))?/g),
      ].flatMap(([target, page, anchor]) =>
        pages.includes(page!) && (anchor === undefined || anchorsOf(page!).includes(anchor))
          ? []
          : [`${file}: ${target}`],
      ),
    )
    expect(broken).toEqual([])
  })
})
