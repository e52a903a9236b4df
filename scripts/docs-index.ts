/** docs/llms.txt, the index of docs/README.md for models (https://llmstxt.org), and docs/llms-full.txt, all its pages in one file. */
import { join } from 'node:path'

type IndexPage = { title: string; path: string; sentence: string }
type IndexSection = { title: string; pages: IndexPage[] }

/** Sections of the index in order; `path` is relative to the repository. @throws Error for a line that is no entry */
export const readIndex = (index: string): IndexSection[] =>
  index
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n')
      const pages = lines
        .filter((line) => line.startsWith('-'))
        .map((line) => {
          const [, name, link, sentence] = /^- \[([^\]]+)\]\(([^)#]+)\): (.+\.)$/.exec(line) ?? []
          if (!name || !link || !sentence)
            throw new Error(`docs/README.md: write "- [Title](page.md): one sentence." instead of "${line}".`)
          return { title: name, path: join('docs', link), sentence }
        })
      return { title, pages }
    })

const summary =
  'An integration pack for agent platforms: tool steps and triggers for work boards, Australian and New Zealand company data and global contact data, over HTTP, MCP, the command line and a Node library.'

export const llmsText = (index: string): string => {
  const sections = readIndex(index).map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${relativeLink(page.path)}): ${page.sentence}`)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  return `# toolyard\n\n> ${summary}\n\n${sections.join('\n')}`
}

const relativeLink = (path: string) => (path.startsWith('docs/') ? path.slice('docs/'.length) : `../${path}`)

/** All pages of the index in its order, without the comments that tests and generators read. */
export const llmsFullText = async (index: string, readPage: (path: string) => Promise<string>): Promise<string> => {
  const pages = readIndex(index).flatMap((section) => section.pages)
  const texts = await Promise.all(
    pages.map(async ({ path }) => {
      const text = (await readPage(path)).replaceAll(/^ *<!-- [^\n]* -->\n+/gm, '')
      return `<!-- ${path} -->\n\n${text.trimEnd()}\n`
    }),
  )
  return texts.join('\n')
}
