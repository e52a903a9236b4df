import { createHash } from 'node:crypto'
import type { World } from './records.ts'

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

const style = `:root { color-scheme: light dark }
body { margin: 0; font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif }
main { max-width: 34rem; margin: 6vh auto; padding: 1.5rem 2rem; border: 1px solid #8884; border-radius: 12px }
h1 { margin-top: 0; font-size: 1.4rem }
button, select { font: inherit; padding: .4rem .9rem; border-radius: 8px; border: 1px solid #8888 }`

/** A plain page without scripts or external files. */
export const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title><style>${style}</style></head><body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'`,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

export const boardPage = (world: World, shortLink: string): string | undefined => {
  const board = [...world.state.boards.values()].find((candidate) => candidate.shortLink === shortLink)
  if (!board) return undefined
  const lists = [...world.state.lists.values()]
    .filter((list) => list.idBoard === board.id && !list.closed)
    .sort((a, b) => a.pos - b.pos)
  return page(
    board.name,
    lists
      .map((list) => {
        const cards = [...world.state.cards.values()]
          .filter((card) => card.idList === list.id && !card.closed)
          .sort((a, b) => a.pos - b.pos)
        return `<h2>${escapeHtml(list.name)}</h2><ul>${cards.map((card) => `<li><a href="/c/${card.shortLink}">${escapeHtml(card.name)}</a></li>`).join('')}</ul>`
      })
      .join(''),
  )
}

export const cardPage = (world: World, shortLink: string): string | undefined => {
  const card = [...world.state.cards.values()].find((candidate) => candidate.shortLink === shortLink)
  if (!card) return undefined
  const comments = world.state.actions.filter(
    (action) => action.type === 'commentCard' && action.refs.idCard === card.id,
  )
  return page(
    card.name,
    `<p>${escapeHtml(card.desc)}</p><p>${card.closed ? 'Archived' : 'Open'}${card.due ? `, due ${card.due}` : ''}</p>` +
      `<ul>${comments.map((comment) => `<li>${escapeHtml(String(comment.data['text']))}</li>`).join('')}</ul>`,
  )
}
