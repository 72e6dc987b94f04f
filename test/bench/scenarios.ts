/** A request of a load run. */
export interface Request {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
}

/** A kind of load. A run sends these requests at random. */
export interface Scenario {
  name: string;
  title: string;
  requests: Request[];
  /** Whether it inserts rows, which are deleted after each run. */
  writes: boolean;
  /** Whether one client alone is measured, too. */
  alone?: true;
}

/** The number of animals. */
export const ANIMALS = 5000;

const get = (path: string): Request => ({ method: 'GET', path });
const post = (path: string, body: object): Request => ({ method: 'POST', path, body: JSON.stringify(body) });
const numbersTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

const FILTERS = ['', '&status=available', '&status=pending', '&status=sold'];

export const SCENARIOS: readonly Scenario[] = [
  { name: 'list', title: 'list of 20', requests: [get('/v1/pets?limit=20')], writes: false, alone: true },
  {
    name: 'mix',
    title: 'mix of 400 lists',
    requests: numbersTo(100).flatMap((limit) =>
      FILTERS.map((filter) => get(`/v1/pets?limit=${limit}${filter}`)),
    ),
    writes: false,
  },
  {
    name: 'deep',
    title: 'page of 20 after an id',
    requests: numbersTo(ANIMALS).map((id) => get(`/v1/pets?limit=20&after=${id}`)),
    writes: false,
  },
  {
    name: 'get',
    title: 'get by id',
    requests: numbersTo(ANIMALS).map((id) => get(`/v1/pets/${id}`)),
    writes: false,
    alone: true,
  },
  {
    name: 'create',
    title: 'create',
    requests: [post('/v1/pets', { name: 'Kitty Cat', categoryId: 2, status: 'available' })],
    writes: true,
  },
  {
    name: 'message',
    title: 'message',
    requests: [post('/v1/messages', { message: 'The cat is ready to be picked up.' })],
    writes: true,
  },
];
