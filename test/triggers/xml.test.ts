import { expect, test } from 'vitest'
import { readXml } from '../../shared/runtime/triggers/inbound/xml.ts'

const value = (text: string) => {
  const read = readXml(text)
  if ('why' in read) throw new Error(read.why)
  return read.value
}
const why = (text: string) => (readXml(text) as { why?: string }).why

test('a feed becomes data: attributes, texts, lists where a name is repeated', () => {
  const feed = `<?xml version="1.0" encoding="UTF-8"?>
<!-- as delivered -->
<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015">
  <link rel="self" href="https://example/?a=1&amp;b=2"/>
  <link rel='hub'/>
  <entry>
    <yt:videoId>VIDEO_ID</yt:videoId>
    <title type="text">Fish &lt;&#x26;&#38;&gt; “chips”</title>
    <empty></empty>
    <script><![CDATA[if (a < b && c) "]]]]><![CDATA[>"]]></script>
  </entry>
</feed>
`
  expect(value(feed)).toEqual({
    feed: {
      '@xmlns:yt': 'http://www.youtube.com/xml/schemas/2015',
      link: [{ '@rel': 'self', '@href': 'https://example/?a=1&b=2' }, { '@rel': 'hub' }],
      entry: {
        'yt:videoId': 'VIDEO_ID',
        title: { '@type': 'text', '#text': 'Fish <&&> “chips”' },
        empty: '',
        script: 'if (a < b && c) "]]>"',
      },
    },
  })
  expect(value('<a> one <b/> two </a>')).toEqual({ a: { b: '', '#text': 'one  two' } })
})

test('there are no document types and no entities but five', () => {
  for (const text of [
    '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
    '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
    '<a><!DOCTYPE b></a>',
    '<a><!ENTITY x "y"></a>',
    '<!doctype html><html></html>',
  ])
    expect(why(text), text).toContain('a document type')
  for (const text of ['<a>&x;</a>', '<a b="&x;"/>', '<a>&</a>', '<a>&amp</a>', '<a>&toString;</a>', '<a>&#65</a>'])
    expect(why(text), text).toContain('none of the five entities')
  for (const text of ['<a>&#0;</a>', '<a>&#xD800;</a>', '<a>&#1114112;</a>', '<a>\u0001</a>', '<a>&#xFFFF;</a>'])
    expect(why(text), text).toContain('a character that XML does not allow')
})

test('what is not well-formed is refused, with what is wrong', () => {
  const refusals: [string, string][] = [
    ['', 'no element'],
    ['text', 'text outside'],
    ['<a/>text', 'text outside'],
    ['<a/><b/>', 'more than one outermost element'],
    ['<a>', 'an element that does not end'],
    ['<a></b>', '"</b>" where another element ends'],
    ['</a>', '"</a>" where another element ends'],
    ['<a b="1" b="2"/>', 'the attribute "b" of "a" twice'],
    ['<a b=1/>', 'a tag that is not well-formed'],
    ['<a b="<"/>', 'a tag that is not well-formed'],
    ['<a b="1"c="2"/>', 'a tag that is not well-formed'],
    ['< a/>', 'a tag that is not well-formed'],
    ['<1/>', 'a tag that is not well-formed'],
    ['<a', 'a tag that is not well-formed'],
    ['<a><!-- b</a>', 'markup that does not end'],
    ['<a><![CDATA[b</a>', 'markup that does not end'],
    ['<a>]]></a>', '"]]>" in a text'],
    ['<?xml version="1.0" encoding="ISO-8859-1"?><a/>', 'another encoding than UTF-8'],
  ]
  for (const [text, message] of refusals) expect(why(text), text).toContain(message)
})

test('names such as __proto__ are names like any other', () => {
  const read = value('<a><__proto__>x</__proto__><constructor/></a>') as { a: object }
  expect(Object.getPrototypeOf(read.a)).toBe(Object.prototype)
  expect(Object.entries(read.a)).toEqual([
    ['__proto__', 'x'],
    ['constructor', ''],
  ])
})

test('depth, elements and attributes are limited, and large texts take time in their length', () => {
  const nested = (levels: number) => `${'<a>'.repeat(levels)}${'</a>'.repeat(levels)}`
  expect(why(nested(200))).toBeUndefined()
  expect(why(nested(201))).toContain('nested deeper than 200 levels')
  expect(why(`<r>${'<a/>'.repeat(20_000)}</r>`)).toContain('more than 20000 elements')
  const attributes = (count: number) => `<a ${Array.from({ length: count }, (_, n) => `b${n}="1"`).join(' ')}/>`
  expect(why(attributes(100))).toBeUndefined()
  expect(why(attributes(101))).toContain('more than 100 attributes')
  const list = (value(`<r>${'<a>x</a>'.repeat(19_000)}</r>`) as { r: { a: string[] } }).r.a
  expect(list).toHaveLength(19_000)
  // Each would take minutes with a reader that goes back.
  const megabyte = 1_000_000
  for (const text of [
    `<a ${' '.repeat(megabyte)}`,
    `<a${' b'.repeat(megabyte / 2)}>`,
    `<a b="${'x'.repeat(megabyte)}`,
    `<${'a'.repeat(megabyte)}`,
    `<a>${'&'.repeat(megabyte)}</a>`,
    `<a>${'<![CDATA[]]>'.repeat(megabyte / 12)}`,
    `${'<!---->'.repeat(megabyte / 7)}`,
  ])
    expect(why(text), text.slice(0, 20)).toBeDefined()
})
