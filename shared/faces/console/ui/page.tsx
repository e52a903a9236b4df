import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { pathTo } from '../api/root.ts'
import { Glyph } from './glyph.tsx'

/**
 * A page: its heading, which takes the focus when the page opens, so that screen readers announce it, and its actions.
 */
export const Page = ({
  title,
  about,
  list,
  actions,
  children,
}: {
  title: string
  /** A sentence below the title that says what the page is for. */
  about?: ComponentChildren
  /** The page that lists what this page shows, such as `runs`. */
  list?: string
  actions?: ComponentChildren
  children: ComponentChildren
}) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · toolyard`
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <main id="content">
      <header class="page-header">
        <div>
          {list !== undefined && (
            <a class="up" href={pathTo(list)}>
              <Glyph name="left" />
              All {list}
            </a>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {about && <p>{about}</p>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      {children}
    </main>
  )
}
