/** Invented names. First and last names are common ones put together by rule; no real person is meant. */
export const firstNames = [
  'Mirrin', 'Callum', 'Aroha', 'Zoë', 'Priya', 'Tane', 'Ingrid', 'Marcus', 'Lani', 'Declan', 'Sunita', 'Hēmi', 'Freya',
  'Omar', 'Jarrah', 'Mei', 'Tobias', 'Anahera', 'Rosalind', 'Kofi', 'Bridget', 'Nikau', 'Yasmin', 'Edmund', 'Kiri',
  'Matteo', 'Harriet', 'Wiremu', 'Leilani', 'Jörg', 'Saoirse', 'Dmitri', 'Tamsin', 'Rangi', 'Elodie', 'Ravi', 'Gwen',
  'Álvaro', 'Hinemoa', 'Stellan', 'Noor',
]

export const lastNames = [
  'Alcott', 'Whitlam-Reyes', 'Ngata-Field', 'Okafor', 'Lindqvist', 'Tamahori', 'Sandhurst', 'Petrakis', 'Braithwaite', 'Fa’alogo',
  'Venkataraman', 'Oakeshott', 'Te Puni', 'Marchetti', 'Ashdown', 'Kowalczyk', 'Hargreave', 'Müller-Vance', 'Dunmore', 'Castellane',
  'Birrell', 'Achterberg', 'Solomona', 'Quillfeather', 'Nakamura-Lee', 'Thistlewood', 'Parata-Hughes', 'Van Rensdorp', 'Ellery',
  'Gunawardhana', 'Mossgrove', 'Delacourt', 'Kingsmill', 'Rawiri-Stone', 'Tregarthen', 'Bellweather', 'Novakovic',
]

/** `region` is an ISO 3166-2 code; `office` the pattern of telephone numbers there, in ranges kept for fiction where there are any. */
export type Place = { region: string; regionName: string; country: string; countryName: string; city: string; office: string }

const countries: { [code: string]: string } = {
  AU: 'Australia',
  NZ: 'New Zealand',
  GB: 'United Kingdom',
  US: 'United States',
  CA: 'Canada',
  DE: 'Germany',
  SG: 'Singapore',
  IE: 'Ireland',
}

export const places: { [city: string]: Place } = Object.fromEntries(
  (
    [
      ['AU-NSW', 'New South Wales', 'Sydney', '+61 2 5550 0###'],
      ['AU-NSW', 'New South Wales', 'Newcastle', '+61 2 5550 0###'],
      ['AU-VIC', 'Victoria', 'Melbourne', '+61 3 5550 0###'],
      ['AU-VIC', 'Victoria', 'Geelong', '+61 3 5550 0###'],
      ['AU-QLD', 'Queensland', 'Brisbane', '+61 7 5550 0###'],
      ['AU-QLD', 'Queensland', 'Cairns', '+61 7 5550 0###'],
      ['AU-WA', 'Western Australia', 'Perth', '+61 8 5550 0###'],
      ['AU-SA', 'South Australia', 'Adelaide', '+61 8 5550 0###'],
      ['AU-TAS', 'Tasmania', 'Hobart', '+61 3 5550 0###'],
      ['AU-ACT', 'Australian Capital Territory', 'Canberra', '+61 2 5550 0###'],
      ['AU-NT', 'Northern Territory', 'Darwin', '+61 8 5550 0###'],
      ['NZ-AUK', 'Auckland', 'Auckland', '+64 9 555 0###'],
      ['NZ-WGN', 'Greater Wellington', 'Wellington', '+64 4 555 0###'],
      ['NZ-CAN', 'Canterbury', 'Christchurch', '+64 3 555 0###'],
      ['NZ-WKO', 'Waikato', 'Hamilton', '+64 7 555 0###'],
      ['NZ-OTA', 'Otago', 'Dunedin', '+64 3 555 0###'],
      ['NZ-TAS', 'Tasman', 'Richmond', '+64 3 555 0###'],
      ['NZ-MWT', 'Manawatū-Whanganui', 'Palmerston North', '+64 6 555 0###'],
      ['GB-LND', 'London', 'London', '+44 20 7946 0###'],
      ['US-NY', 'New York', 'New York', '+1 212 555 01##'],
      ['US-CO', 'Colorado', 'Denver', '+1 303 555 01##'],
      ['CA-ON', 'Ontario', 'Toronto', '+1 416 555 01##'],
      ['DE-BY', 'Bavaria', 'Munich', '+49 89 99998 ###'],
      ['SG-01', 'Central Singapore', 'Singapore', '+65 3158 0###'],
      ['IE-D', 'Dublin', 'Dublin', '+353 20 910 0###'],
    ] as const
  ).map(([region, regionName, city, office]) => {
    const country = region.slice(0, 2)
    return [city, { region, regionName, country, countryName: countries[country] ?? country, city, office }]
  }),
)

/** Companies: name, legal form, city, industry, employees, year founded. The order gives the ids: add at the end only. */
export const companyRows: [name: string, form: string, city: string, industry: string, employees: number, founded: number][] = [
  ['Wattlebird Freight', 'Pty Ltd', 'Sydney', 'Transport and Logistics', 240, 2009],
  ['Kōwhai Kitchens', 'Limited', 'Auckland', 'Food Manufacturing', 85, 2014],
  ['Tidewrack Software', 'Pty Ltd', 'Melbourne', 'Software', 38, 2018],
  ['Ironbark Ledger', 'Pty Ltd', 'Brisbane', 'Accounting', 12, 2011],
  ['Pounamu Analytics', 'Limited', 'Wellington', 'Software', 64, 2016],
  ['Quandong Robotics', 'Pty Ltd', 'Adelaide', 'Industrial Machinery', 151, 2012],
  ['Southern Cloudberry', 'Pty Ltd', 'Hobart', 'Food Manufacturing', 9, 2020],
  ['Halyard & Finch', 'Pty Ltd', 'Perth', 'Legal Services', 47, 1998],
  ['Moreton Brickworks', 'Ltd', 'Brisbane', 'Building Materials', 1240, 1971],
  ['Tūī Telehealth', 'Limited', 'Christchurch', 'Health Care', 210, 2017],
  ['Redsand Drilling', 'Pty Ltd', 'Perth', 'Mining', 3800, 1986],
  ['Larkspur Payroll', 'Pty Ltd', 'Sydney', 'Human Resources Services', 29, 2015],
  ['Glasshouse Aquatics', 'Pty Ltd', 'Cairns', 'Recreation', 18, 2007],
  ['Firetail Media', 'Pty Ltd', 'Melbourne', 'Marketing and Advertising', 55, 2013],
  ['Kererū Couriers', 'Limited', 'Hamilton', 'Transport and Logistics', 410, 2003],
  ['Saltbush Energy', 'Ltd', 'Adelaide', 'Energy', 920, 1994],
  ['Bogong Outfitters', 'Pty Ltd', 'Geelong', 'Retail', 130, 2001],
  ['Coral Street Dental', 'Pty Ltd', 'Cairns', 'Health Care', 7, 2010],
  ['Numbat Insurance', 'Ltd', 'Sydney', 'Insurance', 5600, 1964],
  ['Ravensfoot Wines', 'Pty Ltd', 'Adelaide', 'Food Manufacturing', 44, 1989],
  ['Capital Hill Advisory', 'Pty Ltd', 'Canberra', 'Management Consulting', 73, 2005],
  ['Pelican Point Marine', 'Pty Ltd', 'Newcastle', 'Shipbuilding', 330, 1979],
  ['Harakeke Textiles', 'Limited', 'Palmerston North', 'Textiles', 58, 1992],
  ['Top End Avionics', 'Pty Ltd', 'Darwin', 'Aerospace', 26, 2008],
  ['Lyrebird Learning', 'Pty Ltd', 'Melbourne', 'Education', 190, 2012],
  ['Marram Property Group', 'Ltd', 'Sydney', 'Real Estate', 680, 1990],
  ['Ōamaru Stone Bank', 'Limited', 'Dunedin', 'Banking', 1450, 1958],
  ['Cobbler’s Peg Clothing', 'Pty Ltd', 'Melbourne', 'Retail', 33, 2019],
  ['Bellbird Biomed', 'Pty Ltd', 'Brisbane', 'Biotechnology', 102, 2010],
  ['Two Rivers Dairy', 'Limited', 'Hamilton', 'Food Manufacturing', 2250, 1967],
  ['Stringybark Security', 'Pty Ltd', 'Canberra', 'Computer Security', 88, 2014],
  ['Dogleg Golf Supplies', 'Pty Ltd', 'Geelong', 'Retail', 5, 2021],
  ['Mainsail Telecom', 'Ltd', 'Perth', 'Telecommunications', 760, 1999],
  ['Takahē Travel', 'Limited', 'Christchurch', 'Travel', 120, 2006],
  ['Banksia & Daughters', 'Pty Ltd', 'Hobart', 'Construction', 66, 1983],
  ['Jacaranda Systems', 'Pty Ltd', 'Brisbane', 'Software', 480, 2004],
  ['Nor’west Cartage', 'Limited', 'Christchurch', 'Transport and Logistics', 21, 2013],
  ['Corella Credit', 'Pty Ltd', 'Sydney', 'Financial Services', 14, 2017],
  ['Blackwood Timber Mills', 'Pty Ltd', 'Hobart', 'Building Materials', 275, 1977],
  ['Waka Data', 'Limited', 'Auckland', 'Software', 16, 2020],
  ['Galah Games', 'Pty Ltd', 'Melbourne', 'Computer Games', 92, 2011],
  ['Desert Pea Pharma', 'Ltd', 'Adelaide', 'Pharmaceuticals', 540, 1996],
  ['Tasman Orchard Co-op', 'Limited', 'Richmond', 'Agriculture', 340, 1961],
  ['Cassowary Cabling', 'Pty Ltd', 'Cairns', 'Telecommunications', 49, 2002],
  ['Silvereye Optics', 'Pty Ltd', 'Newcastle', 'Medical Devices', 77, 2009],
  ['Rātā Recruitment', 'Limited', 'Wellington', 'Human Resources Services', 19, 2015],
  ['Pilbara Pumpworks', 'Pty Ltd', 'Perth', 'Industrial Machinery', 168, 1995],
  ['Currawong Civic', 'Ltd', 'Canberra', 'Government Services', 1120, 1988],
  ['Thornbury Vale', 'Ltd', 'London', 'Financial Services', 870, 1981],
  ['Hobgoblin Freightlines', 'Inc', 'Denver', 'Transport and Logistics', 2100, 1974],
  ['Ninth Lantern Studios', 'LLC', 'New York', 'Marketing and Advertising', 61, 2012],
  ['Maplewright Tools', 'Inc', 'Toronto', 'Industrial Machinery', 310, 1969],
  ['Alpenglanz Messtechnik', 'GmbH', 'Munich', 'Medical Devices', 145, 1987],
  ['Orchid Quay Capital', 'Pte Ltd', 'Singapore', 'Financial Services', 52, 2010],
  ['Greystile Cloud', 'Ltd', 'Dublin', 'Software', 230, 2013],
  ['Tallgrass Genomics', 'Inc', 'Denver', 'Biotechnology', 99, 2015],
  ['Pennywhistle Post', 'Ltd', 'London', 'Media', 24, 2018],
  ['Strait & Narrow Shipping', 'Pte Ltd', 'Singapore', 'Shipping', 1900, 1978],
  ['Rye Harbor Law', 'LLC', 'New York', 'Legal Services', 41, 2001],
  ['Bramblegate Foods', 'Ltd', 'Dublin', 'Food Manufacturing', 640, 1984],
]

// Numbers the Australian authority keeps for fiction; people share them.
export const fictionalMobiles = ['006', '110', '156', '157', '158', '159', '313', '737'].map((last) => `+61 491 570 ${last}`)

export const technologies = [
  'Postgres', 'Salesforce', 'HubSpot', 'Xero', 'MYOB', 'Shopify', 'Kubernetes', 'Power BI', 'Snowflake', 'SAP', 'React', 'Okta',
]
