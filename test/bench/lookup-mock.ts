/**
 * A data provider in a process of its own: answers the same person in the form of the documented and of a vendor's
 * endpoints.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const emails = [
  { email: 'mira.tanaka@harbour-tiles.example', type: 'work', confidence: 'A+', updateDate: '2026-10-02' },
  { email: 'mira.tanaka@post.example', type: 'private', confidence: 'B', updateDate: '2026-03-14' },
]
const phones = [{ number: '+61 2 5550 1234', type: 'direct', doNotCall: false, updateDate: '2026-08-30' }]
const common = {
  firstName: 'Mira',
  lastName: 'Tanaka',
  fullName: 'Mira Tanaka',
  jobTitle: { title: 'Operations Manager', seniority: 'manager', departments: ['Operations'] },
  location: {
    country: 'Australia',
    countryIso2: 'AU',
    state: 'New South Wales',
    city: 'Newcastle',
    isEuContact: false,
  },
  company: { id: '81220', name: 'Harbour Tiles', domain: 'harbour-tiles.example', industry: 'Building Materials' },
  socialLinks: { linkedin: 'https://www.linkedin.com/in/mira-tanaka-112' },
}
const answers: { [path: string]: Buffer } = {
  '/person': Buffer.from(JSON.stringify({ data: { personId: '44120', ...common, emails, phones } })),
  '/v3/contacts/search-and-enrich': Buffer.from(
    JSON.stringify({
      requestId: 'b7c1',
      results: [
        { id: '44120', clientReferenceId: '0', ...common, emails, phones, has: ['emails', 'phones'], canReveal: [] },
      ],
      billing: { creditsCharged: 6, resultsReturned: 1 },
    }),
  ),
}

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    const body = answers[request.url ?? '']
    response.writeHead(body ? 200 : 404, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body?.length ?? 0,
    })
    response.end(body)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
