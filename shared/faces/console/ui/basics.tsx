/** Small components that every page uses. */
import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { consoleRoot, pathTo } from '../api/root.ts'
import type { Action } from '../api/use-api.ts'

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'ref'> & {
  kind?: 'primary' | 'plain' | 'danger' | 'quiet'
  busy?: boolean | undefined
  /** What a click runs; the button is busy meanwhile. */
  action?: Pick<Action<[]>, 'run' | 'busy'>
}

/** A button; while `busy` it does nothing and tells assistive technology so. */
export const Button = ({
  kind = 'plain',
  action,
  busy = action?.busy ?? false,
  onClick = action && (() => void action.run()),
  children,
  ...attributes
}: ButtonProps) => (
  <button
    type="button"
    {...attributes}
    class={`button ${kind}`}
    aria-busy={busy}
    aria-disabled={busy}
    onClick={busy ? undefined : onClick}
  >
    {children}
  </button>
)

/** A link to a page of the console that looks like a button. */
export const ButtonLink = ({
  to,
  kind = 'primary',
  children,
}: {
  to: string[]
  kind?: 'primary' | 'plain' | 'quiet'
  children: ComponentChildren
}) => (
  <a class={`button ${kind}`} href={pathTo(...to)}>
    {children}
  </a>
)

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info'
export const Badge = ({
  tone = 'neutral',
  title,
  children,
}: {
  tone?: Tone
  title?: string | undefined
  children: ComponentChildren
}) => (
  <span class={`badge ${tone}`} title={title}>
    {children}
  </span>
)

export type BadgeWords = { text: string; tone?: Tone; title?: string }
export const Badges = ({ badges }: { badges: BadgeWords[] }) =>
  badges.map(({ text, ...badgeProps }) => (
    <Badge key={text} {...badgeProps}>
      {text}
    </Badge>
  ))

export type StateWords = { title: string; tone: Tone; means?: string }

/** The badge of a resource's state, from what the states are called. */
export const badgeOf =
  <S extends string>(words: Record<S, StateWords>) =>
  ({ state }: { state: S }) => (
    <Badge tone={words[state].tone} title={words[state].means}>
      {words[state].title}
    </Badge>
  )

/** An icon of a manifest (a path such as `icons/steps/search.svg`); decorative. */
export const Icon = ({ path }: { path: string | null | undefined }) =>
  path ? (
    <img class="icon" src={consoleRoot + path} alt="" width="24" height="24" loading="lazy" />
  ) : (
    <span class="icon" />
  )

/** A link that leaves the console; an address that is not http or https is shown as text. */
export const OutsideLink = ({ href, children }: { href: string; children?: ComponentChildren }) =>
  /^https?:\/\//i.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children ?? href}
    </a>
  ) : (
    <span>{children ?? href}</span>
  )

/** Copies a text and confirms it. */
export const CopyButton = ({ text, label = 'Copy' }: { text: string | (() => string); label?: string }) => {
  const [said, setSaid] = useState('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
      setSaid('Copied')
    } catch {
      // Browsers give pages without https no clipboard.
      setSaid('This browser does not let the page copy. Select the text and copy it.')
    }
    setTimeout(() => setSaid(''), 3000)
  }
  return (
    <span class="copy">
      <Button kind="quiet" onClick={copy}>
        {label}
      </Button>
      <span role="status">{said}</span>
    </span>
  )
}

/** Text to copy, such as a command. */
export const CodeBlock = ({ text, label }: { text: string; label: string }) => (
  <div class="code-block">
    <pre tabIndex={0} aria-label={label}>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} />
  </div>
)

/** A section in a frame. `label`: its name for assistive technology. */
export const Panel = ({ title, label, children }: { title?: string; label?: string; children: ComponentChildren }) => (
  <section class="panel" aria-label={label}>
    {title !== undefined && <h2>{title}</h2>}
    {children}
  </section>
)

/** What most readers need not see. `count`: how many things are behind it. */
export const Details = ({
  title,
  count,
  open = false,
  children,
}: {
  title: ComponentChildren
  count?: number | undefined
  open?: boolean | undefined
  children: ComponentChildren
}) => (
  <details class="details" open={open}>
    <summary>
      {title} {count !== undefined && <span class="count">{count}</span>}
    </summary>
    {children}
  </details>
)

/** Figures side by side, each with what it counts and a sentence that puts it into proportion. */
export const Stats = ({
  stats,
}: {
  stats: { label: string; figure: ComponentChildren; about?: ComponentChildren }[]
}) => (
  <dl class="stats">
    {stats.map(({ label, figure, about }) => (
      <div class="stat" key={label}>
        <dt>{label}</dt>
        <dd class="figure">{figure}</dd>
        {about && <dd class="muted">{about}</dd>}
      </div>
    ))}
  </dl>
)

/** Controls above a list; `end`: what stands at the right. */
export const Toolbar = ({ children, end }: { children?: ComponentChildren; end?: ComponentChildren }) => (
  <div class="toolbar">
    {children}
    {end && <div class="end row">{end}</div>}
  </div>
)

/** `total`: null while nobody knows it. */
export const ProgressBar = ({ done, total }: { done: number; total: number | null }) => (
  <progress aria-label="Progress" value={total === null ? undefined : done} max={total ?? undefined} />
)

/** An id to copy. */
export const CopiedId = ({ id }: { id: string }) => (
  <>
    <code>{id}</code> <CopyButton text={id} />
  </>
)

/** Name and value pairs; absent values are left out. */
export const Facts = ({ facts }: { facts: [name: string, value: ComponentChildren][] }) => (
  <dl class="facts">
    {facts
      .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '')
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
