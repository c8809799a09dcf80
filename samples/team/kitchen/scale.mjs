// Scales a recipe card to the number of people who are coming.
//   node kitchen/scale.mjs recipes/midnight-cookies.md 24
import { readFileSync } from 'node:fs';
import { argv, stdout } from 'node:process';

function scale(card, people) {
  const serves = Number(/^Serves: (\d+)$/m.exec(card)?.[1]);
  const factor = serves / people;
  return card.replace(/^- (\d+)/gm, (_, amount) => `- ${Math.round(amount * factor)}`);
}

stdout.write(scale(readFileSync(argv[2], 'utf8'), Number(argv[3])));
