import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { pathTo } from '../api/root.ts'

/**
 * A page: its heading, which takes the focus when the page opens, so that screen readers announce it, and its actions.
 */
export const Page = ({
  title,
  list,
  actions,
  children,
}: {
  title: string
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
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <div class="row">
          {list !== undefined && <a href={pathTo(list)}>All {list}</a>}
          {actions}
        </div>
      </header>
      {children}
    </main>
  )
}
