const list = (text: TemplateStringsArray): readonly string[] =>
  String.raw(text)
    .split(/\s*¦\s*/)
    .map((command) => command.trim())
    .filter((command) => command !== '');

/** What somebody types all day to look around, with what people really write around it. None changes or sends anything. */
export const dailyLooks = list`
  ls ¦ ls -la ¦ ls src/ ¦ ls -1 src | wc -l ¦ pwd ¦ pwd && ls ¦ cat README.md ¦ head -n 20 src/main.ts ¦ tail -n 5 README.md ¦
  wc -l src/*.ts ¦ cat src/main.ts | head -40 ¦ nl -ba src/main.ts ¦ sed -n '1,40p' src/main.ts ¦ sed -n '1,5p;10p' README.md ¦
  grep -rn greet src ¦ grep -rn "greet(" src | head -20 ¦ grep -n TODO -r src ¦ grep -c greet src/main.ts ¦ rg -n greet ¦
  find . -name '*.ts' ¦ find src -type f | sort ¦ find . -name '*.md' -not -path './node_modules/*' ¦ tree -L 2 ¦ du -sh src ¦
  file README.md ¦ stat README.md ¦ diff src/main.ts src/greet.ts ¦ md5sum README.md ¦ sort docs/words.txt | uniq -c | sort -rn ¦
  cut -d, -f1 docs/table.csv ¦ awk '{print $1}' docs/words.txt ¦ awk -F, '{print $1, $2}' docs/table.csv ¦
  awk 'NR==1' docs/table.csv ¦ awk '/greet/ {print NR}' src/main.ts ¦ ls -l | awk '{print $5}' ¦ awk 'NR>1 {print $2}' docs/table.csv ¦
  echo $PATH ¦ echo "$HOME" ¦ echo $? ¦ echo "in $PWD" ¦ [ -d src ] ¦ [ -f README.md ] && echo yes ¦ [ -e x ] || echo no ¦
  [ ! -d x ] && echo gone ¦ test -d src && echo yes ¦ test -f README.md || echo no ¦
  for f in src/*.ts; do wc -l "$f"; done ¦ for f in src/main.ts src/greet.ts; do head -n 1 $f; done ¦
  for d in src docs; do ls "$d" | wc -l; done ¦ git status ¦ git status -sb ¦ git log --oneline -5 ¦ git log -3 --stat ¦
  git log --oneline --graph --all ¦ git log -p -1 ¦ git log -p -2 -- src/main.ts ¦ git log --oneline main..HEAD ¦ git diff ¦
  git diff --stat ¦ git diff HEAD ¦ git diff HEAD~1 ¦ git diff --stat HEAD~1 ¦ git diff HEAD^ --name-only ¦ git diff --cached ¦
  git diff main -- src ¦ git diff HEAD~1 HEAD -- README.md ¦ git show ¦ git show HEAD ¦ git show HEAD~1 ¦ git show --stat HEAD~1 ¦
  git show HEAD:README.md ¦ git show HEAD:src/main.ts | head -20 ¦ git blame src/main.ts ¦ git blame -L 1,2 src/main.ts ¦
  git remote -v ¦ git branch -vv ¦ git branch --show-current ¦ git tag ¦ git grep -n greet ¦ git ls-files src ¦
  git config --get user.name ¦ git rev-parse HEAD ¦ git --no-pager diff ¦ git --no-pager log -1 ¦ git stash list ¦
  python --version ¦ python3 --version ¦ node --version ¦ gcc --version ¦ bash --version ¦ perl -v ¦ make --version ¦ date ¦
  uname -a ¦ whoami ¦ which git ¦ command -v node ¦ jq . package.json ¦ jq -r .name package.json ¦ ps aux ¦ ps -ef | grep node ¦
  cat package.json | grep name ¦ wc -l Makefile ¦ tail -n +2 docs/table.csv ¦ printf '%s\n' done ¦ env | grep PATH ¦
  npm --version ¦ git show HEAD --stat | head -3 ¦ cd src && git status ¦ xxd README.md | head -2`;

/** What somebody lets an agent do all day where everything may be approved. */
export const dailyWork = list`
  npm test ¦ npm t ¦ npm run build ¦ npm run lint ¦ npm run test:unit -- --watch=false ¦ npm test -- src/main.test.ts ¦ npm ls ¦
  npm ls --depth=0 ¦ npm outdated ¦ npm run ¦ npx eslint src ¦ npx eslint . --fix ¦ npx eslint --format json src ¦ yarn build ¦ yarn test ¦
  yarn lint ¦ pnpm test ¦ pnpm -r build ¦ pnpm --filter web test ¦ pnpm run lint ¦ bun test ¦ bun run build ¦ deno test ¦ deno lint ¦
  node src/main.js ¦ node --test ¦ node --check src/main.js ¦ node scripts/build.mjs --minify ¦ tsc ¦ tsc --noEmit ¦ tsc -p . ¦
  tsc -p tsconfig.json ¦ tsc -p tsconfig.json --noEmit ¦ tsc --build tsconfig.json ¦ vitest run ¦ vitest run --config vite.config.ts ¦
  jest ¦ jest --config jest.config.js ¦ mocha test ¦ prettier --check . ¦ prettier --write src ¦ prettier --check package.json ¦
  eslint -c eslint.config.mjs src ¦ vite build ¦ webpack --mode production ¦ webpack --config webpack.config.js ¦ rollup -c ¦
  esbuild src/main.ts --bundle --outfile=out.js ¦ python3 script.py ¦ python3 -m pytest ¦ python3 -m pytest -q tests ¦ pytest ¦
  pytest -x -k a ¦ pytest tests/test_a.py::test_b ¦ pytest --cov=src ¦ python3 -m unittest ¦ python3 -m mypy src ¦ mypy src ¦
  mypy --config-file mypy.ini src ¦ ruff check . ¦ ruff check --fix . ¦ ruff format . ¦ ruff check --config ruff.toml . ¦ black . ¦
  isort src ¦ flake8 ¦ pylint src ¦ coverage report ¦ tox -e py312 ¦ poetry run pytest ¦ uv run pytest ¦ pip list ¦ pip freeze ¦
  cargo build ¦ cargo test ¦ cargo check ¦ cargo clippy ¦ cargo fmt ¦ cargo run ¦ cargo build --release ¦ rustfmt src/a.rs ¦
  go build ./... ¦ go test ./... ¦ go test -run TestA ./pkg ¦ go vet ./... ¦ gofmt -w . ¦ go fmt ./... ¦ go run . ¦ golangci-lint run ¦
  make ¦ make test ¦ make -j8 ¦ make clean ¦ cmake --build build ¦ ctest ¦ gcc -o out a.c ¦ ./gradlew test ¦ gradle build ¦
  mvn test ¦ mvn -q package -DskipTests ¦ javac src/A.java ¦ java -cp out A ¦ dotnet build ¦ dotnet test ¦ bundle exec rspec ¦ rake ¦
  rspec ¦ rubocop ¦ composer test ¦ phpunit ¦ mix test ¦ swift test ¦ dart test ¦ flutter test ¦ shellcheck run.sh ¦ ./run.sh ¦
  bash run.sh ¦ sh run.sh --fast ¦ chmod +x run.sh ¦ chmod 755 run.sh ¦ chmod u+x run.sh ¦ chmod 644 a.txt ¦ mkdir -p out ¦ touch out.txt ¦
  cp a.txt b.txt ¦ cp src/main.ts src/copy.ts ¦ mv a.txt c.txt ¦ rm a.txt ¦ rm -f a.txt ¦ rmdir empty ¦ echo hi > out.txt ¦
  echo more >> out.txt ¦ cat a.txt > copy.txt ¦ cat > note.txt <<'EOF'
one
EOF ¦ sed -i 's/a/b/' a.txt ¦ sed -i.bak 's/a/b/g' a.txt ¦ sort -u docs/words.txt > sorted.txt ¦ tee copy.txt < a.txt ¦
  tar czf out.tgz src ¦ tar -czf out.tar.gz src docs ¦ tar cf out.tar src ¦ tar tf out.tar ¦ tar -tzf out.tgz ¦ gzip -k a.txt ¦
  zip -r out.zip src ¦ unzip -l out.zip ¦ git add -A ¦ git add . ¦ git commit -m "fix: a" ¦ git commit -am "b" ¦ git switch -c topic ¦
  git checkout -b topic ¦ git checkout main ¦ git stash ¦ git mv a.txt d.txt ¦ git tag v1.0.0 ¦ git diff ¦ git show HEAD~1 ¦
  git log -p -2 ¦ git blame a.txt ¦ git merge --abort ¦ git rebase --abort ¦ git restore --staged a.txt ¦ git reset HEAD a.txt ¦
  git branch topic2 ¦ git branch -m old new ¦ git remote -v ¦ git worktree list ¦ docker ps ¦ docker ps -a ¦ docker images ¦
  docker version ¦ docker compose ps ¦ docker logs web ¦ docker container ls ¦ gh pr list ¦ gh pr view 12 ¦ gh pr checks ¦ gh issue list ¦
  gh issue view 3 ¦ gh run list ¦ gh pr status ¦ gh auth status ¦ curl localhost:3000 ¦ curl -s http://localhost:8080/health ¦
  kubectl get pods ¦ rm -rf dist ¦ rm -rf node_modules ¦ rm -rf coverage ¦ npm ci ¦ npm install ¦ ps aux ¦ lsof -i :3000 ¦
  kill %1 ¦ sleep 2 ¦ time npm test ¦ timeout 60 npm test ¦ env CI=1 npm test ¦ CI=1 npm test ¦ NODE_ENV=test npm test ¦
  export CI=1; npm test ¦ set -e; npm test; npm run build ¦ npm test 2>&1 | tail -20 ¦ npm test > out.log 2>&1 ¦
  cd src && npm test ¦ (cd src && ls) ¦ for f in src/*.ts; do wc -l "$f"; done ¦ if [ -f a.txt ]; then cat a.txt; fi ¦
  awk '{print $1}' a.txt ¦ awk -F, '{ s += $2 } END { print s }' docs/table.csv ¦ xargs -n1 echo < a.txt ¦
  find . -name '*.ts' | xargs wc -l ¦ find src -name '*.ts' -exec wc -l {} + ¦ grep -rl greet src | xargs grep -n main ¦
  diff <(ls src) <(ls docs) ¦ echo $((1 + 2)) ¦ less a.txt ¦ which node ¦ python --version ¦ tail -f out.log ¦ ss -ltn ¦ nproc ¦ df -h`;
